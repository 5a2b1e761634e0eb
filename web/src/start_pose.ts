// SPDX-License-Identifier: BSD-3-Clause
// The start pose of a scene in the live view: a slider for each coordinate of its joints. The program says where the bodies
// then are; the page shows that, gives the starts back as text, and runs the scene from there.
import {Arrays, read_array} from './result';
import {coordinate_kinds, CoordinateKind} from './tree';

const kTicks = 400;  // [-] of a slider
const kDegrees = 180 / Math.PI;

/** A joint as the program tells of it: index, name, type, coordinates at the start, limits, whether they are given. */
type PosableJoint = [number, string, string, number[], [number, number] | null, boolean];

export interface PoseAnswer {
  header: {arrays: Arrays; joints: PosableJoint[]; toml: string};
  buffer: ArrayBuffer;
  start: number;
}

/** One coordinate: a slider, and a number in m or rad. */
class CoordinateRow {
  readonly element = document.createElement('label');
  private slider = document.createElement('input');
  private number = document.createElement('input');
  private degrees = document.createElement('output');

  constructor(name: string, private kind: CoordinateKind, value: number, private limits: [number, number] | null, changed: () => void) {
    const text = document.createElement('span');
    text.textContent = `${name} [${kind === 'angle' ? 'rad' : 'm'}]`;
    const reach = kind === 'angle' ? Math.PI : 1, [low, high] = limits ?? [value - reach, value + reach];
    this.slider.type = 'range';
    this.slider.min = String(Math.min(low, value));
    this.slider.max = String(Math.max(high, value));
    this.slider.step = 'any';
    this.slider.setAttribute('aria-label', name);
    this.number.type = 'number';
    this.number.step = 'any';
    this.number.setAttribute('aria-label', `${name}, number`);
    const tick = (Number(this.slider.max) - Number(this.slider.min)) / kTicks;
    this.slider.addEventListener('input', () => {
      const x = Number(this.slider.value);
      this.number.value = x <= low ? String(low) : x >= high ? String(high) : this.write(tick * Math.round(x / tick));
      this.tell_degrees();
      changed();
    });
    this.number.addEventListener('change', () => {
      this.slider.value = this.number.value;
      this.tell_degrees();
      changed();
    });
    this.set(value);
    this.element.append(text, this.slider, this.number, this.degrees);
  }

  private tell_degrees(): void {
    this.degrees.textContent = this.kind === 'angle' ? `${(kDegrees * this.value()).toFixed(1)} deg` : '';
  }

  /** Where the program puts it; not while somebody holds it. */
  set(value: number): void {
    if (document.activeElement === this.slider || document.activeElement === this.number) return;
    this.slider.value = String(value);
    this.number.value = this.write(value);
    this.tell_degrees();
  }

  /** Rounded, but not to beyond the limits. */
  private write(value: number): string {
    const [low, high] = this.limits ?? [-Infinity, Infinity], round = Math.abs(value) < 1e-12 ? 0 : Number(value.toPrecision(6));  // 0 but for round-off
    return String(round < low ? Math.max(value, low) : round > high ? Math.min(value, high) : round);
  }

  value(): number {
    return this.number.valueAsNumber;
  }
}

export class StartPose {
  readonly element = document.createElement('details');
  private list = document.createElement('div');
  private text = document.createElement('textarea');
  private copy = document.createElement('button');
  private rows = new Map<number, CoordinateRow[]>();
  private given = new Set<number>();  // joints that somebody has moved
  private busy = false;               // the program is being asked
  private again = false;              // and is to be asked once more

  /** ask: the program, with the starts, one a line. show: poses (7 bodies) in the place of what the run does; none: no more. */
  constructor(private ask: (starts: string) => Promise<PoseAnswer>, private show: (poses?: Float64Array) => void,
              private complain: (text: string) => void) {
    const summary = document.createElement('summary'), buttons = document.createElement('div'), reset = document.createElement('button');
    summary.textContent = 'Start pose';
    summary.title = 'Coordinates of joints at the start';
    reset.textContent = 'As the scene says';
    reset.addEventListener('click', () => {
      this.given.clear();
      void this.update();
    });
    this.copy.textContent = 'Copy as TOML';
    this.copy.addEventListener('click', () => this.copy_text());
    buttons.className = 'row';
    buttons.append(reset, this.copy);
    this.list.id = 'start-pose';
    this.list.className = 'sliders';
    this.text.id = 'start-toml';
    this.text.readOnly = true;
    this.text.setAttribute('aria-label', 'Starts as TOML');
    this.element.append(summary, this.list, buttons, this.text);
    this.element.addEventListener('toggle', () => {
      if (this.element.open) void this.update();
      else this.show();
    });
  }

  /** What the next run has to begin with, one joint a line: of those that somebody has moved. */
  starts(): string[] {
    return [...this.given].map((joint) => `joint ${joint}=${this.rows.get(joint)!.map((row) => row.value()).join(' ')}`);
  }

  /** The scene is run: the picture is that of the run again. */
  close(): void {
    this.element.open = false;
  }

  /** Parameters have changed, and with them perhaps the joints. */
  refresh(): void {
    if (this.element.open) void this.update();
  }

  private async update(): Promise<void> {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    do {
      this.again = false;
      try {
        const {header, buffer, start} = await this.ask(this.starts().join('\n'));
        this.tell(header.joints);
        this.text.value = header.toml;
        this.text.rows = Math.min(Math.max(header.toml.split('\n').length, 2), 8);
        this.copy.disabled = header.toml === '';
        const poses = read_array(header.arrays, buffer, 'pose', start);
        if (poses && this.element.open) this.show(Float64Array.from(poses));
        this.complain('');
      } catch (error) {
        this.complain((error as Error).message);
      }
    } while (this.again);
    this.busy = false;
  }

  private tell(joints: PosableJoint[]): void {
    if (this.rows.size === 0) {
      for (const [joint, name, type, coordinates, limits] of joints) {
        const kinds = coordinate_kinds(type);
        const rows = coordinates.map((value, k) => new CoordinateRow(
            coordinates.length > 1 ? `${name} ${k + 1}` : name, kinds[k], value, k === 0 ? limits : null, () => this.move(joint)));
        this.rows.set(joint, rows);
        this.list.append(...rows.map((row) => row.element));
      }
      if (joints.length === 0) this.list.textContent = 'No joint of this scene has a start to choose.';
    }
    // What somebody has moved may be further by now than where the answer knows it.
    for (const [joint, , , coordinates] of joints) {
      if (!this.given.has(joint)) coordinates.forEach((value, k) => this.rows.get(joint)?.[k]?.set(value));
    }
  }

  private move(joint: number): void {
    this.given.add(joint);
    void this.update();
  }

  private copy_text(): void {
    this.text.select();
    navigator.clipboard.writeText(this.text.value).catch(() => this.complain('The browser does not let this page copy: the text is selected.'));
  }
}
