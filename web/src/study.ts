// SPDX-License-Identifier: BSD-3-Clause
// A published study beside the program's: its figures with the published values as marks, and each number with agreement
// or reason. On a page with a replay the figures follow its time.
import {Chart, Curve, Mark} from './chart';
import {from_base64, Numbers, read_array, show, Arrays} from './result';

interface FigureData {
  name: string;
  caption: string;
  run: string;                  // that it is of, as the replay knows it; empty: none
  columns: [string, string][];  // name and unit; the numbers are the array NAME/INDEX
  /** What is drawn over what; none: each column over the first. */
  curves: {name: string; of: string; x: string; y: string; by: string; style: 'line' | 'points' | 'both'}[];
  marks: {number: number; x: number | null; y: number | null}[];
}

interface NumberData {
  quantity: string;
  unit: string;
  origin: 'published' | 'analytic' | 'reference';
  expected: string;
  ours: number | null;
  difference: number | null;
  tolerance: number | null;
  agrees: boolean;
  reason: string;
}

interface RunData {
  name: string;
  scheme: string;
  step: number;
  steps: number;
  outcome: string;
  iterations: number | null;
  most_iterations: number;
  inexact: number;
  residual: number | null;
  penetration: number | null;
  microseconds: number | null;
  elsewhere: string;
}

export interface StudyData {
  arrays: Arrays;
  gallery: string;
  title: string;
  source: string;
  made: string;
  back: string;
  next: string;
  figures: FigureData[];
  numbers: NumberData[];
  runs: RunData[];
  analyses: {name: string; level: string; states: number}[];
}

/** What a study's figures ask of the page around: a run at a time [s]. */
export interface StudyHost {
  go(run: string, t: number): void;
}

export const kOrigins = {
  published: 'Published: printed as a result in the paper, or said in words',
  analytic: 'Analytic: in closed form from what the paper states',
  reference: 'Reference: of an independent dense implementation, or of quadrature',
};

export function element<K extends keyof HTMLElementTagNameMap>(name: K, text = '', classes = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (classes) made.className = classes;
  return made;
}

/** A table in a box that scrolls where the window is narrower. Cells that begin with a number stand right. */
export function make_table(head: string[], rows: string[][], texts: number[] = [0]): HTMLElement {
  const box = element('div', '', 'scroll'), table = element('table', '', 'data');
  const first = table.createTHead().insertRow();
  head.forEach((title, i) => {
    const cell = element('th', title, texts.includes(i) ? '' : 'n');
    cell.scope = 'col';
    first.append(cell);
  });
  const body = table.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    cells.forEach((text, i) => row.append(element('td', text, texts.includes(i) ? 'text' : 'n')));
  }
  box.append(table);
  box.tabIndex = 0;
  return box;
}

export class Study {
  readonly figures = element('div');
  private readonly charts: {chart: Chart; run: string}[] = [];
  private readonly buffer: ArrayBuffer;

  constructor(readonly data: StudyData, base64: string, host?: StudyHost) {
    this.buffer = from_base64(base64);
    if (data.figures.length === 0) this.figures.append(element('p', 'The paper draws no figure of this.'));
    for (const figure of data.figures) this.figures.append(this.make_figure(figure, host));
  }

  private column(figure: FigureData, name: string): {values: Numbers; unit: string} {
    const i = figure.columns.findIndex(([column]) => column === name);
    return {values: read_array(this.data.arrays, this.buffer, `${figure.name}/${i}`) ?? new Float64Array(0), unit: figure.columns[i]?.[1] ?? ''};
  }

  /** Curves of the same units, which share a chart. */
  private groups(figure: FigureData): {x_label: string; y_unit: string; equal: boolean; curves: Curve[]}[] {
    const groups = new Map<string, {x_label: string; y_unit: string; equal: boolean; curves: Curve[]}>();
    const time = figure.columns[0][0];
    const wanted = figure.curves.length > 0 ? figure.curves
        : figure.columns.slice(1).map(([name]) => ({name, of: '', x: time, y: name, by: '', style: 'line' as const}));
    for (const {name, of, x, y, by, style} of wanted) {
      const source = of ? this.data.figures.find((f) => f.name === of) ?? figure : figure;
      const along = this.column(source, x), up = this.column(source, y);
      const own_x = figure.curves.length > 0 && source.columns[0][0] !== x;
      const key = `${along.unit}|${up.unit}|${own_x}`;
      const group = groups.get(key) ?? {x_label: `${own_x && figure.curves.length > 1 ? '' : x} [${along.unit}]`.trim(), y_unit: up.unit, equal: own_x && along.unit === up.unit, curves: []};
      groups.set(key, group);
      if (!by) {
        group.curves.push({label: name, x: along.values, y: up.values, style});
        continue;
      }
      const kinds = this.column(source, by).values;
      for (const kind of [...new Set(Array.from(kinds))].filter(Number.isFinite).sort((a, b) => a - b)) {
        const rows = Array.from(kinds.keys()).filter((i) => kinds[i] === kind);
        group.curves.push({label: `${name} ${show(kind)}`, x: rows.map((i) => along.values[i]), y: rows.map((i) => up.values[i]), style});
      }
    }
    return [...groups.values()];
  }

  private make_figure(figure: FigureData, host?: StudyHost): HTMLElement {
    const box = element('section', '', 'figure'), title = element('h2', `${figure.name.replaceAll('_', ' ')}: ${figure.caption} `);
    box.append(title);
    if (!figure.name.startsWith('figure')) title.append(element('small', '(not drawn in the paper) '));
    if (figure.run && this.data.runs.length > 1) title.append(element('small', `(run ${figure.run})`));
    const groups = this.groups(figure);
    for (const [i, group] of groups.entries()) {
      // A mark's number says by its unit where it belongs.
      const own = (mark: FigureData['marks'][number]) => {
        if (mark.y === null) return i === 0;
        const unit = this.data.numbers[mark.number].unit;
        return groups.findIndex((g) => g.y_unit === unit) === i || (i === 0 && groups.every((g) => g.y_unit !== unit));
      };
      const marks = this.make_marks(figure.marks.filter(own));
      const timed = figure.columns[0][1] === 's' && group.x_label.endsWith('[s]');
      const chart = new Chart({
        curves: group.curves, marks, x_label: group.x_label, y_label: `[${group.y_unit}]`, equal: group.equal,
        height: group.equal ? 300 : groups.length > 1 ? 190 : 230,
        on_pick: timed && host && figure.run ? (t) => host.go(figure.run, t) : undefined,
      });
      box.append(chart.element);
      if (timed) this.charts.push({chart, run: figure.run});
    }
    return box;
  }

  /** One for each place: both coordinates of a point may be numbers. */
  private make_marks(marks: FigureData['marks']): Mark[] {
    const places = new Map<string, Mark>();
    for (const {number, x, y} of marks) {
      const n = this.data.numbers[number], label = this.describe(n);
      const place = [x, y].map((v) => v?.toPrecision(9)).join(), there = places.get(place);  // but for round-off
      if (there) there.label += `; ${label}`;
      else places.set(place, {x, y, kind: n.origin, label});
    }
    return [...places.values()];
  }

  private describe(n: NumberData): string {
    return `${n.origin}: ${n.expected}${n.unit ? ` ${n.unit}` : ''}, ours ${show(n.ours, 5)} (${n.quantity})`;
  }

  /** The time of the replay in the figures of the run that it shows. */
  set_time(run: string, t: number): void {
    for (const {chart, run: own} of this.charts) chart.set_time(own === run ? t : NaN);
  }

  make_tables(): HTMLElement {
    const holder = element('section');
    holder.id = 'study';
    if (this.data.numbers.length > 0) holder.append(element('h2', 'Numbers'), this.make_numbers());
    if (this.data.runs.length > 0) {
      holder.append(element('h2', 'Runs'), make_table(
          ['run', 'scheme', 'step [s]', 'steps', 'ended', 'iterations, mean (most)', 'inexact', 'worst residual [m/s]', 'penetration [m]', '\u00b5s a step', 'elsewhere, \u00b5s a step'],
          this.data.runs.map((r) => [r.name, r.scheme, show(r.step), String(r.steps), r.outcome, `${show(r.iterations)} (${r.most_iterations})`, String(r.inexact),
                                     show(r.residual, 2), show(r.penetration, 2), show(r.microseconds), r.elsewhere]), [0, 1, 4, 10]));
    }
    if (this.data.analyses.length > 0) {
      holder.append(element('h2', 'Every solution of small problems'), make_table(
          ['analysis', 'problem', 'states'], this.data.analyses.map((a) => [a.name, a.level, String(a.states)]), [0, 1]));
    }
    holder.append(element('p', this.data.made));
    return holder;
  }

  private make_numbers(): HTMLElement {
    const box = make_table(['quantity', 'expected', 'ours', 'difference', 'allowed', ''], []);
    box.querySelector('table')!.classList.add('numbers');
    box.querySelectorAll('th').forEach((cell, i) => cell.classList.toggle('wide', i === 3 || i === 4));
    const body = box.querySelector('tbody')!;
    for (const [origin, meaning] of Object.entries(kOrigins)) {
      const numbers = this.data.numbers.filter((n) => n.origin === origin);
      if (numbers.length === 0) continue;
      const agree = numbers.filter((n) => n.agrees).length, head = body.insertRow(), cell = element('th', `${meaning}: ${agree} of ${numbers.length} agree`);
      cell.colSpan = 6;
      cell.scope = 'rowgroup';
      head.className = 'origin';
      head.append(cell);
      for (const n of numbers) {
        const row = body.insertRow();
        const unit = n.unit ? ` [${n.unit}]` : '';
        row.append(element('td', n.quantity + unit, 'text'), element('td', n.expected, 'n'), element('td', n.ours === null ? 'not reached' : show(n.ours, 7), 'n'),
                   element('td', show(n.difference, 2), 'n wide'), element('td', show(n.tolerance, 2), 'n wide'),
                   element('td', n.agrees ? '\u2713 agrees' : '\u2260 differs', n.agrees ? 'agrees' : 'differs'));
        if (n.agrees || !n.reason) continue;
        row.className = 'explained';
        const reason = body.insertRow(), text = element('td', n.reason);
        text.colSpan = 6;
        reason.className = 'reason';
        reason.append(text);
      }
    }
    return box;
  }

  /** To the index, the study before and the next one. */
  make_ways(): HTMLElement {
    const ways = element('nav', '', 'ways');
    ways.setAttribute('aria-label', 'Studies');
    for (const [text, target] of [['All studies', '../index.html'], ['Before', this.data.back], ['Next', this.data.next]]) {
      if (!target) continue;
      const link = element('a', text);
      link.href = to_link(target);
      ways.append(link);
    }
    return ways;
  }
}

/** A file's path as a link: names may hold any character. */
export function to_link(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** The study that the page is of, where it is of one. */
export function read_study(host?: StudyHost): Study | undefined {
  const header = document.querySelector('script.study'), numbers = document.querySelector('script.study-numbers');
  if (!header || !numbers) return undefined;
  return new Study(JSON.parse(header.textContent ?? '{}') as StudyData, numbers.textContent ?? '', host);
}
