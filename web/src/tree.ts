// SPDX-License-Identifier: BSD-3-Clause
// Bodies as a tree, each with the joint by which it hangs on the next, and the joints' coordinates at the time that is shown.
import {find_row, Result, show} from './result';

const kMostRows = 2000;  // [-] bodies that are listed
const kDegrees = 180 / Math.PI;

export type CoordinateKind = 'angle' | 'length';

/** What the coordinates of a joint are, by its type; none: it has no coordinates. */
export function coordinate_kinds(type: string): CoordinateKind[] {
  const kinds: Record<string, CoordinateKind[]> = {
    revolute: ['angle'], screw: ['angle'], prismatic: ['length'], distance: ['length'], cylindrical: ['length', 'angle'],
    universal: ['angle', 'angle'], planar: ['length', 'length', 'angle'],
  };
  return kinds[type] ?? [];
}

/** A coordinate or its rate in words; angles in degrees or radians. */
export function describe_coordinate(value: number, kind: CoordinateKind, in_degrees: boolean, per = ''): string {
  if (kind === 'length') return `${show(value, 4)} m${per}`;
  return in_degrees ? `${show(kDegrees * value, 4)} deg${per}` : `${show(value, 4)} rad${per}`;
}

interface JointRow {
  joint: number;
  kinds: CoordinateKind[];
  says: HTMLElement;
}

export class Tree {
  private list = document.createElement('div');
  private angles = document.createElement('select');
  private joints: JointRow[] = [];
  private bodies = new Map<number, HTMLButtonElement>();
  private result?: Result;
  private time = 0;

  constructor(private element: HTMLDetailsElement, private on_pick: (body: number) => void) {
    this.angles.append(new Option('degrees', 'deg'), new Option('radians', 'rad'));
    this.angles.addEventListener('change', () => this.set_time(this.time));
    const label = document.createElement('label');
    label.append('Angles in ', this.angles);
    this.list.id = 'tree';
    element.append(label, this.list);
    element.addEventListener('toggle', () => this.open());
  }

  load(result: Result): void {
    this.result = result;
    this.element.hidden = result.header.joints.length === 0;
    this.list.replaceChildren();
    this.joints = [];
    this.bodies.clear();
    this.open();
  }

  /** Rows are made when somebody wants to see them. */
  private open(): void {
    if (!this.element.open || !this.result || this.list.childElementCount > 0) return;
    const {header} = this.result, n = header.bodies.length, parents = this.result.get('parents');
    const children = Array.from({length: n + 1}, () => [] as number[]);
    for (let b = 0; b < n; ++b) children[parents && parents[b] >= 0 ? parents[b] : n].push(b);
    const of_body = this.joints_of_bodies(parents);
    let left = kMostRows;
    const root = document.createElement('ul');
    // Without recursion: chains may be long.
    const todo = [...children[n]].reverse().map((body) => ({body, into: root}));
    while (todo.length > 0 && left-- > 0) {
      const {body, into} = todo.pop()!, item = document.createElement('li');
      item.append(this.make_body(body), ...(of_body.get(body) ?? []).map((j) => this.make_joint(j)));
      into.append(item);
      if (children[body].length === 0) continue;
      const inner = document.createElement('ul');
      item.append(inner);
      for (const child of [...children[body]].reverse()) todo.push({body: child, into: inner});
    }
    this.list.append(root);
    const others = (of_body.get(-1) ?? []).map((j) => this.make_joint(j));
    this.list.append(...others);
    if (todo.length > 0) this.list.append(`and ${n - kMostRows} bodies more`);
    this.set_time(this.time);
  }

  /** Joints by the body that hangs by them: of one that closes a loop its second body; -1: of no body. */
  private joints_of_bodies(parents?: ArrayLike<number>): Map<number, number[]> {
    const pairs = this.result!.get('joint_bodies'), found = new Map<number, number[]>();
    this.result!.header.joints.forEach((_, j) => {
      const [first, second] = pairs ? [pairs[2 * j], pairs[2 * j + 1]] : [-1, -1];
      const body = parents && first >= 0 && parents[first] === second && parents[second] !== first ? first : second;
      found.set(body, [...(found.get(body) ?? []), j]);
    });
    return found;
  }

  private make_body(body: number): HTMLButtonElement {
    const {header} = this.result!, button = document.createElement('button');
    button.textContent = header.bodies[body];
    button.title = header.types[body];
    button.addEventListener('click', () => this.on_pick(body));
    this.bodies.set(body, button);
    return button;
  }

  private make_joint(joint: number): HTMLElement {
    const {header} = this.result!, row = document.createElement('p'), name = document.createElement('span'), says = document.createElement('output');
    const type = header.joint_types?.[joint] ?? '', pairs = this.result!.get('joint_bodies');
    row.className = 'joint';
    name.textContent = `${header.joints[joint]} (${type})`;
    if (pairs && pairs[2 * joint] >= 0) row.title = `${type}: ${header.bodies[pairs[2 * joint]]} - ${header.bodies[pairs[2 * joint + 1]]}`;
    row.append(name, says);
    this.joints.push({joint, kinds: coordinate_kinds(type), says});
    return row;
  }

  set_time(t: number): void {
    this.time = t;
    if (!this.element.open || !this.result) return;
    const rows = this.result.get('row_time'), coordinate = this.result.get('/joints/coordinate'), rate = this.result.get('/joints/rate');
    const effort = this.result.get('/joints/effort');
    if (!rows || !coordinate) return;
    const n = this.result.header.joints.length, at = n * find_row(rows, t + 1e-12), in_degrees = this.angles.value === 'deg';
    for (const {joint, kinds, says} of this.joints) {
      const parts = kinds.flatMap((kind, k) => {
        const i = 3 * (at + joint) + k;
        if (!Number.isFinite(coordinate[i])) return [];
        const text = describe_coordinate(coordinate[i], kind, in_degrees);
        return [rate ? `${text}, ${describe_coordinate(rate[i], kind, in_degrees, '/s')}` : text];
      });
      if (effort && Math.abs(effort[at + joint]) > 0) parts.push(`effort ${show(effort[at + joint], 4)} ${kinds[0] === 'length' ? 'N' : 'N m'}`);
      says.textContent = parts.join('; ');
    }
  }

  /** Marks a body; -1: none. */
  select(body: number): void {
    for (const [b, button] of this.bodies) button.setAttribute('aria-pressed', String(b === body));
  }
}
