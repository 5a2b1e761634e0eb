// SPDX-License-Identifier: BSD-3-Clause
// The page of `stickslip compare`: the table, errors over the step with their observed orders, and cost against error.
import {Chart, Curve} from './chart';
import {show} from './result';
import {element, make_table} from './study';

interface Row {
  scheme: string;
  solver: string;
  step: number | null;
  exit: number;
  steps: number;
  cost_seconds: number | null;
  error: {position: number | null; velocity: number | null};
  order: {position: number | null; velocity: number | null};
  penetration: number | null;
  drift: number | null;
  energy_error: number | null;
  residual: number | null;
  message: string;
}

export interface Comparison {
  scene: string;
  made: string;
  comparison: {reference: string; rows: Row[]};
}

/** Rows of one scheme and solver, in order; its name has what tells it from the others. */
function group_rows(rows: Row[]): [string, Row[]][] {
  const many = new Set(rows.map((r) => r.solver)).size > 1, groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = many ? `${row.scheme}, ${row.solver}` : row.scheme;
    groups.set(name, [...groups.get(name) ?? [], row]);
  }
  return [...groups];
}

const is_shown = (x: number | null) => x !== null && x > 0;

function make_chart(rows: Row[], x: (r: Row) => number | null, y: (r: Row) => number | null, order: ((r: Row) => number | null) | undefined,
                    x_label: string, y_label: string): HTMLElement | undefined {
  const curves: Curve[] = [];
  for (const [name, own] of group_rows(rows)) {
    const shown = own.filter((r) => is_shown(x(r)) && is_shown(y(r))).sort((a, b) => x(a)! - x(b)!);
    if (shown.length === 0) continue;
    const orders = order ? own.map(order).filter((o) => o !== null) as number[] : [];
    const label = orders.length > 0 ? `${name}: order ${orders.map((o) => show(o, 2)).join(', ')}` : name;
    curves.push({label, x: shown.map((r) => x(r)!), y: shown.map((r) => y(r)!), style: 'both'});
  }
  if (curves.length === 0) return undefined;
  const box = element('section', '', 'figure');
  box.append(element('h2', `${y_label} over ${x_label}`), new Chart({curves, x_label, y_label, log: true, height: 300}).element);
  return box;
}

export function show_comparison(data: Comparison, holder: HTMLElement): void {
  const {reference, rows} = data.comparison;
  holder.append(element('p', reference ? `Errors are against ${reference}: the largest over bodies and rows.` : 'No errors: there is no reference but the run itself.'));
  const number = (value: number | null, digits = 3) => show(value, digits);
  const table = make_table(
      ['scheme', 'solver', 'step [s]', 'exit', 'steps', 'cost [s]', 'position [m]', 'order', 'velocity [m/s]', 'order', 'penetration [m]', 'drift [m]', 'energy error [J]', 'residual [m/s]'],
      rows.map((r) => [r.scheme, r.solver, r.step === null ? 'auto' : number(r.step, 4), r.exit === 2 ? 'refused' : String(r.exit), r.exit === 2 ? '-' : String(r.steps), number(r.cost_seconds),
                       number(r.error.position), number(r.order.position, 2), number(r.error.velocity), number(r.order.velocity, 2), number(r.penetration, 2),
                       number(r.drift, 2), number(r.energy_error, 2), number(r.residual, 2)]), [0, 1]);
  table.querySelector('table')!.classList.add('tight');
  holder.append(table);
  const charts = element('div', '', 'charts');
  const add = (chart: HTMLElement | undefined) => { if (chart) charts.append(chart); };
  add(make_chart(rows, (r) => r.step, (r) => r.error.position, (r) => r.order.position, 'step [s]', 'error of positions [m]'));
  add(make_chart(rows, (r) => r.step, (r) => r.error.velocity, (r) => r.order.velocity, 'step [s]', 'error of velocities [m/s]'));
  add(make_chart(rows, (r) => r.cost_seconds, (r) => r.error.position, undefined, 'cost [s]', 'error of positions [m]'));
  add(make_chart(rows, (r) => r.cost_seconds, (r) => r.error.velocity, undefined, 'cost [s]', 'error of velocities [m/s]'));
  if (charts.childElementCount > 0) {
    holder.append(element('h2', 'Errors and costs'),
                  element('p', 'Orders are log(e\'/e) / log(h\'/h) between neighbouring steps, from the coarsest pair on. Cost is the processor time of the steps.'), charts);
  }
  const said = rows.filter((r) => r.message);
  if (said.length > 0) {
    const list = element('ul');
    for (const r of said) list.append(element('li', `${r.scheme}, ${r.solver}, ${r.step === null ? 'auto' : `${number(r.step, 4)} s`}: ${r.message}`));
    holder.append(element('h2', 'What refused the scene or did not go well'), list);
  }
  holder.append(element('p', data.made));
}
