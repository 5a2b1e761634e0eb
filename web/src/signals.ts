// SPDX-License-Identifier: BSD-3-Clause
// What can be plotted of a result: the steps' certificate, coordinates, contacts and joints, each with its unit.
import {Header, Numbers, Result} from './result';

export interface Signal {
  id: string;
  label: string;
  unit: string;
  group: string;
  contact: number;  // whose status colours a band, -1: none
  dashed: boolean;  // a bound, not a value
  x: Numbers;       // [s]
  y: () => Float64Array;
}

function column(values: Numbers, width: number, at: number): Float64Array {
  const n = Math.floor(values.length / width);
  const y = new Float64Array(n);
  for (let i = 0; i < n; ++i) y[i] = values[i * width + at];
  return y;
}

/** |(y1, y2)|, of two columns that follow one another, or bounds mu N of one. */
function derived(values: Numbers, width: number, of: (row: number) => number): Float64Array {
  const y = new Float64Array(Math.floor(values.length / width));
  for (let i = 0; i < y.length; ++i) y[i] = of(i * width);
  return y;
}

/** Names and units of a body's coordinates and of its velocities. */
function coordinates(type: string, n: number): [string, string][] {
  if (type === 'planar') return [['x', 'm'], ['y', 'm'], ['phi', 'rad']];
  if (type === 'rigid' && n === 7) return [['x', 'm'], ['y', 'm'], ['z', 'm'], ['e0', '-'], ['e1', '-'], ['e2', '-'], ['e3', '-']];
  if (type === 'beam') return Array.from({length: n}, (_, i) => [`${'xy'[i % 2]}${i >> 1}`, 'm'] as [string, string]);
  return Array.from({length: n}, (_, i) => ['xyz'[i] ?? `q${i}`, 'm'] as [string, string]);
}

function velocities(type: string, n: number): [string, string][] {
  if (type === 'planar') return [['vx', 'm/s'], ['vy', 'm/s'], ['omega', 'rad/s']];
  if (type === 'rigid' && n === 6) {
    return [['vx', 'm/s'], ['vy', 'm/s'], ['vz', 'm/s'], ['omega1', 'rad/s'], ['omega2', 'rad/s'], ['omega3', 'rad/s']];
  }
  if (type === 'beam') return Array.from({length: n}, (_, i) => [`v${'xy'[i % 2]}${i >> 1}`, 'm/s'] as [string, string]);
  return Array.from({length: n}, (_, i) => [`v${'xyz'[i] ?? i}`, 'm/s'] as [string, string]);
}

/** Whether a contact is a limit of a joint that turns: its gap is an angle. */
function is_angle(header: Header, contact: string): boolean {
  const [joint, limit] = contact.split('-limits/');
  return limit !== undefined && ['revolute', 'screw'].includes(header.joint_types?.[header.joints.indexOf(joint)] ?? '');
}

/** What the numbers of a sensor are, by its type, and their units. */
const kSensorParts: Record<string, [string, string][]> = {
  pose: [['x', 'm'], ['y', 'm'], ['z', 'm'], ['e0', '-'], ['e1', '-'], ['e2', '-'], ['e3', '-']],
  velocity: [['vx', 'm/s'], ['vy', 'm/s'], ['vz', 'm/s'], ['omega x', 'rad/s'], ['omega y', 'rad/s'], ['omega z', 'rad/s']],
  imu: [['ax', 'm/s^2'], ['ay', 'm/s^2'], ['az', 'm/s^2'], ['omega x', 'rad/s'], ['omega y', 'rad/s'], ['omega z', 'rad/s']],
  joint: [['coordinate', 'rad, m'], ['rate', 'rad/s, m/s'], ['effort', 'N m, N']],
  contact: [['Fx', 'N'], ['Fy', 'N'], ['Fz', 'N'], ['Mx', 'N m'], ['My', 'N m'], ['Mz', 'N m']],
  range: [['distance', 'm']],
  wrench: [['Fx', 'N'], ['Fy', 'N'], ['Fz', 'N'], ['Mx', 'N m'], ['My', 'N m'], ['Mz', 'N m']],
};

/** Columns of /measures that have one number for each, and their units. */
const kMeasures: [string, string][] = [
  ['bodies', '-'], ['kinetic_energy', 'J'], ['coordination', '-'], ['force_mean', 'N'], ['force_max', 'N'],
  ['force_deviation', 'N'], ['crossed', '-'], ['flow', 'kg/s'],
];

export function list_signals(result: Result): Signal[] {
  const header = result.header;
  const signals: Signal[] = [];
  const add = (id: string, label: string, unit: string, group: string, x: Numbers | undefined, y: () => Float64Array,
               contact = -1, dashed = false) => {
    if (x) signals.push({id, label, unit, group, contact, dashed, x, y});
  };
  const steps = result.get('/steps/time'), rows = result.get('row_time');

  for (const [name, unit] of header.steps) {
    const values = result.get(`/steps/${name}`);
    if (!values || name === 'time' || name.startsWith('worst')) continue;
    const energy = unit === 'J';
    add(`/steps/${name}`, name.replaceAll('_', ' '), unit, energy ? 'Energy' : 'Steps', steps, () => column(values, 1, 0));
  }
  const kinetic = result.get('/steps/kinetic_energy'), potential = result.get('/steps/potential_energy');
  if (kinetic && potential) {
    add('total', 'kinetic + potential', 'J', 'Energy', steps, () => derived(kinetic, 1, (i) => kinetic[i] + potential[i]));
  }

  const mu = result.get('friction_coefficient');
  const n_c = header.contacts.length;
  header.contacts.forEach((name, c) => {
    const group = `Contact ${name}`, angle = is_angle(header, name);
    const per_point = (path: string, label: string, unit: string) => {
      const values = result.get(`/contacts/${path}`);
      if (values) add(`/contacts/${path}/${c}`, label, unit, group, rows, () => column(values, n_c, c), c);
      return values;
    };
    per_point('gap', `gap ${name}`, angle ? 'rad' : 'm');
    for (const [what, unit] of angle ? [['force', 'N m'], ['percussion', 'N m s']] : [['force', 'N'], ['percussion', 'N s']]) {
      const normal = per_point(`normal_${what}`, `normal ${what} ${name}`, unit);
      const friction = result.get(`/contacts/friction_${what}`);
      if (!normal || !friction) continue;
      const width = 3 * n_c, at = 3 * c;
      const size = (i: number) => Math.hypot(...[0, 1].map((k) => Number.isFinite(friction[i + at + k]) ? friction[i + at + k] : 0));
      if (header.planar) {
        add(`/contacts/friction_${what}/${c}/0`, `friction ${what} ${name}`, unit, group, rows, () => column(friction, width, at), c);
      } else {
        for (const k of [0, 1]) {
          add(`/contacts/friction_${what}/${c}/${k}`, `friction ${what} t${k + 1} ${name}`, unit, group, rows,
              () => column(friction, width, at + k), c);
        }
        add(`/contacts/friction_${what}/${c}`, `friction ${what} (size) ${name}`, unit, group, rows,
            () => derived(friction, width, size), c);
      }
      if (mu && mu[c] > 0) {
        add(`bound_${what}/${c}/+`, `bound: mu N ${name}`, unit, group, rows, () => derived(normal, n_c, (i) => mu[c] * normal[i + c]), c, true);
        if (header.planar) {
          add(`bound_${what}/${c}/-`, `bound: -mu N ${name}`, unit, group, rows, () => derived(normal, n_c, (i) => -mu[c] * normal[i + c]), c, true);
        }
      }
    }
    per_point('normal_impulse', `normal impulse ${name}`, angle ? 'N m s' : 'N s');
    per_point('status', `status ${name} (0 open, 1 stick, 2 slip)`, '-');
  });

  const n_j = header.joints.length;
  header.joints.forEach((name, j) => {
    const group = `Joint ${name}`;
    const vector = (path: string, parts: string[], unit: string) => {
      const values = result.get(`/joints/${path}`), width = parts.length;
      if (!values) return;
      parts.forEach((part, k) => {
        if (!Number.isFinite(values[Math.min(1, values.length / (width * n_j) - 1) * width * n_j + width * j + k])) return;
        add(`/joints/${path}/${j}/${k}`, `${path.replaceAll('_', ' ')} ${part} ${name}`.replace('  ', ' '), unit, group, rows,
            () => column(values, width * n_j, width * j + k));
      });
    };
    vector('coordinate', ['', '2', '3'], 'rad, m');
    vector('rate', ['', '2', '3'], 'rad/s, m/s');
    vector('reaction_force', ['x', 'y', 'z'], 'N');
    vector('reaction_torque', ['x', 'y', 'z'], 'N m');
    vector('friction', [''], 'N m, N');
    vector('drive', [''], 'N m, N');
    vector('effort', [''], 'N m, N');
    vector('power', [''], 'W');
    vector('drift', ['of lengths', 'of angles'], 'm, rad');
  });

  const readings = result.get('/sensors/value'), offset = result.get('sensor_offset');
  header.sensors.forEach((name, s) => {
    if (!readings || !offset) return;
    const width = offset[header.sensors.length];
    (kSensorParts[header.sensor_types?.[s] ?? ''] ?? []).forEach(([part, unit], k) => {
      add(`/sensors/value/${offset[s] + k}`, `${part} ${name}`, unit, `Sensor ${name}`, rows,
          () => column(readings, width, offset[s] + k));
    });
  });

  const n_m = header.measures.length;
  header.measures.forEach((name, m) => {
    for (const [what, unit] of kMeasures) {
      const values = result.get(`/measures/${what}`);
      // A quantity that the measure does not have is NaN in all rows.
      if (!values || !Number.isFinite(values[values.length - n_m + m])) continue;
      add(`/measures/${what}/${m}`, `${what.replaceAll('_', ' ')} ${name}`, unit, `Measure ${name}`, rows, () => column(values, n_m, m));
    }
    const stress = result.get('/measures/stress');
    for (let k = 0; stress && k < 9; ++k) {
      if (!Number.isFinite(stress[stress.length - 9 * n_m + 9 * m + k])) continue;
      const part = 'xyz'[Math.floor(k / 3)] + 'xyz'[k % 3];
      add(`/measures/stress/${m}/${k}`, `stress ${part} ${name}`, header.planar ? 'N/m' : 'Pa', `Measure ${name}`, rows,
          () => column(stress, 9 * n_m, 9 * m + k));
    }
  });

  const layout = result.get('layout'), q = result.get('/q'), u = result.get('/u');
  const n_rows = rows?.length ?? 1;
  if (layout) {
    header.bodies.forEach((name, b) => {
      const [q_at, n_q, u_at, n_u] = Array.from(layout.slice(4 * b, 4 * b + 4));
      if (q) {
        coordinates(header.types[b], n_q).slice(0, n_q).forEach(([part, unit], k) => {
          add(`/q/${q_at + k}`, `${part} ${name}`, unit, `Body ${name}`, rows, () => column(q, q.length / n_rows, q_at + k));
        });
      }
      if (u) {
        velocities(header.types[b], n_u).slice(0, n_u).forEach(([part, unit], k) => {
          add(`/u/${u_at + k}`, `${part} ${name}`, unit, `Body ${name}`, rows, () => column(u, u.length / n_rows, u_at + k));
        });
      }
    });
  }
  return signals;
}

/** The plots that a page begins with: titles and the signals' names. */
export function first_plots(result: Result, signals: Signal[]): [string, string[]][] {
  const known = new Set(signals.map((signal) => signal.id));
  const plots: [string, string[]][] = [];
  const add = (title: string, ids: string[]) => {
    const there = ids.filter((id) => known.has(id));
    if (there.length > 0) plots.push([title, there]);
  };
  add('Energy', ['/steps/kinetic_energy', '/steps/potential_energy', 'total', '/steps/dissipated', '/steps/work']);
  const header = result.header;
  // Contacts that are closed most of the time first.
  const status = result.get('/contacts/status'), n_c = header.contacts.length;
  const closed = header.contacts.map((_, c) => {
    let n = 0;
    for (let i = c; status && i < status.length; i += n_c) n += status[i] > 0 ? 1 : 0;
    return n;
  });
  const shown = header.contacts.map((_, c) => c).sort((a, b) => closed[b] - closed[a] || a - b).slice(0, 4);
  const main = shown[0] ?? 0;
  const gaps = (angles: boolean) =>
      shown.filter((c) => is_angle(header, header.contacts[c]) === angles).map((c) => `/contacts/gap/${c}`);
  add('Gap', gaps(false));
  add('Angle to the limit', gaps(true));
  if (shown.length > 0) {
    const what = known.has('/contacts/normal_force/0') ? 'force' : 'percussion';
    add(what === 'force' ? 'Contact force and its bound' : 'Contact percussion and its bound',
        [`/contacts/normal_${what}/${main}`, `/contacts/friction_${what}/${main}/0`, `/contacts/friction_${what}/${main}`, `bound_${what}/${main}/+`, `bound_${what}/${main}/-`]
            .filter((id) => header.planar || !id.endsWith(`/${main}/0`)));
  }
  add('Joints', header.joints.slice(0, 4).map((_, j) => `/joints/coordinate/${j}/0`));
  const layout = result.get('layout');
  const moving = header.bodies.findIndex((_, b) => layout !== undefined && layout[4 * b + 1] > 0);
  if (moving >= 0 && layout) {
    const q = layout[4 * moving];
    add('Coordinates', header.planar ? [`/q/${q}`, `/q/${q + 1}`] : [`/q/${q}`, `/q/${q + 1}`, `/q/${q + 2}`]);
  }
  add('Residual', ['/steps/residual', '/steps/coulomb_residual']);
  add('Iterations and contacts', ['/steps/iterations', '/steps/contacts']);
  return plots;
}
