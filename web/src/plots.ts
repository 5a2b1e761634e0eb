// SPDX-License-Identifier: BSD-3-Clause
// Plots over time: signals of one or several results in a panel, with the time of the replay marked.
import uPlot from 'uplot';
import {curve_style, kBoundDash, kDashes, make_svg, make_swatch, overlay_style} from './curve_style';
import {find_nearest, Result, show} from './result';
import {list_signals, Signal} from './signals';

export type Status = 'open' | 'stick' | 'slip';
const kLightMarks = {open: '#7d8590', stick: '#0072b2', slip: '#d55e00', force: '#7b2d8e'};
const kDarkMarks = {open: '#a3adb8', stick: '#56b4e9', slip: '#f58a3c', force: '#d8a2e8'};
/** Colours of contacts and forces, each 3 : 1 at least off the ground of its theme. */
export const mark_colors = () => is_dark() ? kDarkMarks : kLightMarks;
const kHeight = 186;  // [px] of a plot with the axis' label

const kFont = '12px system-ui, DejaVu Sans, sans-serif';

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const is_dark = () => document.documentElement.classList.contains('dark');
const is_logarithmic = (signal: Signal) => /residual|missed/.test(signal.id);

interface Entry {
  signal: Signal;
  result: number;
}

const all_logarithmic = (entries: Entry[]) => entries.length > 0 && entries.every((e) => is_logarithmic(e.signal));

export interface PlotHost {
  results: Result[];
  set_time(t: number): void;
}

/** One plot with its legend: where its element has been put into the page, build() makes it. */
export class Panel {
  readonly element = document.createElement('div');
  private plot?: uPlot;
  private mark = document.createElement('div');
  private data: uPlot.AlignedData = [[]];
  private times = new Float64Array(0);
  private labels: string[] = [];
  private hovered = false;
  private time = 0;

  constructor(private host: PlotHost, private all: Signal[][], readonly title: string, readonly ids: string[],
              private on_remove: (panel: Panel) => void) {
    this.element.className = 'panel';
    this.mark.className = 'mark';
  }

  /** The signals of this panel, result by result. */
  private signals(): Entry[] {
    return this.ids.flatMap((id) => this.all.flatMap((signals, result) => {
      const signal = signals.find((s) => s.id === id);
      return signal ? [{signal, result}] : [];
    }));
  }

  /** Reads the signals anew; gives what is drawn of them. */
  private read(entries: Entry[]): uPlot.AlignedData {
    const tables = entries.map(({signal}) => {
      const y = Array.from(signal.y(), (v) => Number.isFinite(v) && !(is_logarithmic(signal) && v <= 0) ? v : null);
      return [Array.from(signal.x), y] as uPlot.AlignedData;
    });
    this.data = tables.length > 0 ? uPlot.join(tables) : [[]];
    this.times = Float64Array.from(this.data[0] as number[]);
    if (!all_logarithmic(entries)) return this.data;
    // Its own logarithmic scale does not end below 1e-16.
    return (this.data as (number | null | undefined)[][]).map((column, i) => i === 0 ? column : column.map((v) => v === null || v === undefined ? v : Math.log10(v))) as uPlot.AlignedData;
  }

  /** The results have more rows, or there are others. A zoom stays. */
  update(all: Signal[][]): void {
    const n_before = this.signals().length;
    this.all = all;
    const entries = this.signals();
    if (!this.plot || entries.length !== n_before) return this.build();
    const {min, max} = this.plot.scales.x, n = this.times.length;
    const zoomed = n > 1 && min != null && max != null && (min > this.times[0] || max < this.times[n - 1]);
    const drawn = this.read(entries);
    this.plot.setData(drawn, !zoomed);
    if (zoomed) this.plot.redraw(true, true);
    this.set_time(this.time);
  }

  build(): void {
    this.plot?.destroy();
    this.element.replaceChildren();
    const entries = this.signals();
    const units = [...new Set(entries.map((e) => e.signal.unit))];
    const heading = document.createElement('h2'), text = document.createElement('span');
    text.textContent = `${this.title} [${units.join('; ')}]`;
    heading.append(text, this.make_adder(), this.make_button('CSV', 'Save what is shown as CSV', () => this.save()),
                   this.make_button('\u00d7', 'Remove this plot', () => this.on_remove(this)));
    this.element.append(heading);
    const drawn = this.read(entries);
    const many = this.host.results.length > 1;
    this.labels = entries.map(({signal, result}) => many ? `${signal.label} (${this.result_name(result)})` : signal.label);
    const styles = entries.map(({signal, result}, i) => {
      const {color, dash} = many ? overlay_style(this.ids.indexOf(signal.id), result, this.ids.length, this.host.results.length) : curve_style(i);
      return {stroke: css(`--c${color}`), dash: signal.dashed && !many ? kBoundDash : kDashes[dash], width: signal.dashed ? 1 : 2};
    });
    const axis = {
      stroke: () => css('--text'), grid: {stroke: () => css('--line'), width: 1},
      ticks: {stroke: () => css('--line'), width: 1}, font: kFont, labelFont: kFont,
    };
    const logarithmic = all_logarithmic(entries);
    const bands = entries.find((e) => e.signal.contact >= 0);
    const options: uPlot.Options = {
      width: Math.max(this.element.clientWidth - 18, 240),
      height: kHeight,
      scales: {x: {time: false}, y: {}},
      cursor: {sync: {key: 'stickslip', setSeries: false}, drag: {x: true, y: false}, points: {size: 6}},
      series: [
        {label: 't [s]', value: (_, v) => show(v, 6)},
        ...styles.map((style, i): uPlot.Series => ({
          ...style,
          label: this.labels[i],
          points: {show: false},
          spanGaps: true,
          value: (_, __, k, row) => show(row === null ? null : (this.data[k] as (number | null)[])[row], 5),
        })),
      ],
      axes: [
        {...axis, size: 30, label: 'time [s]', labelSize: 18, labelGap: -2, values: (_, ticks) => ticks.map((t) => show(t, 6))},
        {...axis, size: 66, ...(logarithmic ? {incrs: [1, 2, 3, 4, 5, 10, 20, 50]} : {}), values: (_, ticks) => ticks.map((t) => logarithmic ? `1e${t}` : show(t, 4))},
      ],
      hooks: {draw: bands ? [(u) => this.draw_bands(u, bands.signal.contact, bands.result)] : []},
    };
    this.plot = new uPlot(options, drawn, this.element);
    this.element.querySelectorAll('.u-series').forEach((row, i) => {
      const marker = row.querySelector('.u-marker');
      if (i === 0 || !marker) return;  // of the time
      const swatch = make_swatch(), {stroke, dash, width} = styles[i - 1];
      make_svg('line', {x1: 0, x2: 32, y1: 6, y2: 6, stroke, 'stroke-width': width, 'stroke-dasharray': dash.join(' ')}, swatch);
      marker.replaceChildren(swatch);
    });
    const over = this.plot.over;
    over.append(this.mark);
    let pressed = 0;
    over.addEventListener('mousedown', (e) => { pressed = e.clientX; });
    over.addEventListener('click', (e) => {
      if (this.plot && Math.abs(e.clientX - pressed) < 3) this.host.set_time(this.plot.posToVal(e.offsetX, 'x'));
    });
    over.addEventListener('mouseenter', () => { this.hovered = true; });
    over.addEventListener('mouseleave', () => { this.hovered = false; this.set_time(this.time); });
    if (bands) this.element.append(this.make_band_key(this.host.results[bands.result].header.contacts[bands.signal.contact]));
    this.set_time(this.time);
  }

  private result_name(i: number): string {
    const one = new Set(this.host.results.map((r) => r.header.name)).size === 1;  // scene: its name tells nothing
    const all = this.host.results.map((r) => one ? r.header.scheme : `${r.header.name}, ${r.header.scheme}`);
    return all.indexOf(all[i]) === all.lastIndexOf(all[i]) ? all[i] : this.host.results[i].header.file;
  }

  private make_button(text: string, title: string, action: () => void): HTMLButtonElement {
    const button = document.createElement('button');
    button.textContent = text;
    button.title = title;
    button.addEventListener('click', action);
    return button;
  }

  private make_adder(): HTMLSelectElement {
    const select = document.createElement('select');
    fill_signals(select, this.all[0], 'Signals');
    select.title = 'Switch a signal on or off';
    select.addEventListener('change', () => {
      const at = this.ids.indexOf(select.value);
      if (at >= 0) this.ids.splice(at, 1);
      else this.ids.push(select.value);
      this.build();
    });
    return select;
  }

  private make_band_key(name: string): HTMLElement {
    const key = document.createElement('div');
    key.className = 'bands';
    key.textContent = `${name}:`;
    for (const status of ['open', 'stick', 'slip'] as const) {
      const mark = document.createElement('i');
      mark.style.background = mark_colors()[status];
      key.append(mark, status);
    }
    return key;
  }

  /** A stripe under the curves: when the contact was open, stuck, slipped. Slip is the tallest, open the lowest. */
  private draw_bands(u: uPlot, contact: number, of: number): void {
    const result = this.host.results[of], status = result.get('/contacts/status'), t = result.get('row_time');
    if (!status || !t) return;
    const n = result.header.contacts.length, names = ['open', 'stick', 'slip'] as const;
    const {left, top, width, height} = u.bbox;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(left, top, width, height);
    u.ctx.clip();
    for (let i = 0, j = 0; i < t.length; i = j) {
      const s = status[i * n + contact];
      for (j = i + 1; j < t.length && status[j * n + contact] === s;) ++j;
      const from = u.valToPos(t[Math.max(i - 1, 0)], 'x', true), to = u.valToPos(t[j - 1], 'x', true);
      const tall = (3 + 3 * s) * devicePixelRatio;
      u.ctx.fillStyle = mark_colors()[names[s] ?? 'open'];
      u.ctx.fillRect(from, top + height - tall, Math.max(to - from, 1), tall);
    }
    u.ctx.restore();
  }

  set_time(t: number): void {
    this.time = t;
    if (!this.plot) return;
    const x = this.plot.valToPos(t, 'x');
    this.mark.style.transform = `translateX(${x}px)`;
    this.mark.hidden = !(x >= 0 && x <= this.plot.over.clientWidth);
    if (!this.hovered && this.times.length > 0) {
      this.plot.setLegend({idx: find_nearest(this.times, t)}, false);
    }
  }

  /** The values at the row nearest to t, by label. */
  values_at(t: number): Record<string, number | null> {
    const row = find_nearest(this.times, t);
    return Object.fromEntries(this.labels.map((label, i) => [label, (this.data[i + 1] as (number | null)[])[row] ?? null]));
  }

  resize(): void {
    this.plot?.setSize({width: Math.max(this.element.clientWidth - 18, 240), height: kHeight});
    this.set_time(this.time);
  }

  to_csv(): string {
    const quote = (label: string) => `"${label.replaceAll('"', '""').replace(/^[=+\-@]/, "'$&")}"`;
    const lines = [['time [s]', ...this.labels].map(quote).join(',')];
    const {min, max} = this.plot?.scales.x ?? {};
    (this.data[0] as number[]).forEach((t, i) => {
      if ((min != null && t < min) || (max != null && t > max)) return;
      lines.push([t, ...this.labels.map((_, k) => (this.data[k + 1] as (number | null)[])[i] ?? '')].join(','));
    });
    return lines.join('\n') + '\n';
  }

  private save(): void {
    save_file(new Blob([this.to_csv()], {type: 'text/csv'}), `${this.title.toLowerCase().replace(/\W+/g, '-')}.csv`);
  }
}

export function save_file(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Options for each signal, by group; of very many the first, picked bodies bring the others. */
export function fill_signals(select: HTMLSelectElement, signals: Signal[], title: string): void {
  const kMost = 600;
  const first = new Option(title, '', true, true);
  first.disabled = true;
  select.replaceChildren(first);
  let group: HTMLOptGroupElement | undefined;
  for (const signal of signals.slice(0, kMost)) {
    if (group?.label !== signal.group) {
      group = document.createElement('optgroup');
      group.label = signal.group;
      select.append(group);
    }
    group.append(new Option(`${signal.label} [${signal.unit}]`, signal.id));
  }
}

export function list_all_signals(results: Result[]): Signal[][] {
  return results.map(list_signals);
}
