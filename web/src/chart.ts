// SPDX-License-Identifier: BSD-3-Clause
// Charts of studies and comparisons, in SVG: they print sharply, their colours follow the theme by CSS alone, and pages
// without a replay need no library. Curves over any column, points, logarithmic axes, published numbers as marks.
import {curve_style, kDashes, make_svg as make, make_swatch} from './curve_style';
import {show} from './result';

export interface Curve {
  label: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  style: 'line' | 'points' | 'both';
}

/** A number that is published, where it belongs: a point, or a line where one of its places is not given. */
export interface Mark {
  label: string;
  kind: string;  // of many the key has one entry for each kind
  x: number | null;
  y: number | null;
}

export interface ChartOptions {
  curves: Curve[];
  marks?: Mark[];
  x_label: string;  // with its unit
  y_label: string;
  log?: boolean;    // both axes
  equal?: boolean;  // a length is as long along x as along y
  height?: number;  // [px]
  bare?: boolean;   // a picture without axes and key
  on_pick?: (x: number) => void;
}

/** Shapes of points about where the path is, of radius r. */
const kShapes: ((r: number) => string)[] = [
  (r) => `m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => `m${-0.9 * r} ${-0.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}z`,
  (r) => `m0 ${-1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
  (r) => `m0 ${-1.2 * r}l${1.15 * r} ${2 * r}h${-2.3 * r}z`,
  (r) => `m0 ${1.2 * r}l${1.15 * r} ${-2 * r}h${-2.3 * r}z`,
  (r) => `m${-1.1 * r} ${-0.4 * r}h${2.2 * r}v${0.8 * r}h${-2.2 * r}z`,
];
const kMarkShape = kShapes[2];
const kClick = 4;                          // [px] a pointer that moved less has clicked
const kBox = 14;                           // [px] a drag that is flatter zooms along x alone
const kMostNamed = 3;                      // [-] marks of a kind that the key names one by one
/** Ticks at round numbers, at most `most` of them; on a logarithmic axis decades, or 1, 2, 5 of few. */
export function make_ticks(low: number, high: number, most: number, log: boolean): number[] {
  const ticks: number[] = [];
  if (log) {
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const stride = Math.max(1, Math.ceil((last - first + 1) / Math.max(most, 1)));
    for (const within of [[1, 2, 3, 5], [1, 2, 5], [1]]) {
      const list: number[] = [];
      for (let k = first; k <= last; k += within.length > 1 ? 1 : stride) {
        for (const m of within) if (m * 10 ** k >= 0.999 * low && m * 10 ** k <= 1.001 * high) list.push(m * 10 ** k);
      }
      if (list.length <= most || within.length === 1) return list;
    }
  }
  const rough = (high - low) / Math.max(most - 1, 1), unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= 0.999 * rough) ?? rough;
  for (let k = Math.ceil(low / step - 1e-9); k <= Math.floor(high / step + 1e-9); ++k) ticks.push(k * step);
  return ticks;
}

const format_tick = (x: number) => show(Number(x.toPrecision(12)), 6);

function is_ascending(x: ArrayLike<number>): boolean {
  for (let i = 1; i < x.length; ++i) if (!(x[i] >= x[i - 1])) return false;
  return true;
}

export class Chart {
  readonly element = document.createElement('div');
  private svg!: SVGElement;
  private hair!: SVGElement;
  private time_line!: SVGElement;
  private values: HTMLElement[] = [];
  private range: [number, number, number, number] = [0, 1, 0, 1];
  private zoom?: [number, number, number, number];  // what of both axes is shown, where not all
  private pressed?: {x: number; y: number};         // where a drag began, in the picture [px]
  private band?: SVGElement;
  private inside = {left: 0, top: 0, width: 1, height: 1};
  private time = NaN;
  private readonly sorted: boolean[];

  constructor(readonly options: ChartOptions) {
    this.element.className = options.bare ? 'chart bare' : 'chart';
    this.sorted = options.curves.map(({x}) => is_ascending(x));
    let width = 0;
    new ResizeObserver(() => {
      if (this.element.clientWidth === width || this.element.clientWidth === 0) return;
      width = this.element.clientWidth;
      this.build();
    }).observe(this.element);
  }

  private find_range(): void {
    const {curves, marks = [], log} = this.options;
    const [x, y] = [[Infinity, -Infinity], [Infinity, -Infinity]];
    const add = (bounds: number[], v: number | null) => {
      if (v === null || !Number.isFinite(v) || (log && v <= 0)) return;
      [bounds[0], bounds[1]] = [Math.min(bounds[0], v), Math.max(bounds[1], v)];
    };
    for (const curve of curves) {
      for (let i = 0; i < curve.x.length; ++i) {
        if (!Number.isFinite(curve.y[i])) continue;
        add(x, curve.x[i]);
        add(y, curve.y[i]);
      }
    }
    for (const mark of marks) {
      add(x, mark.x);
      add(y, mark.y);
    }
    for (const bounds of [x, y]) {
      if (bounds[0] > bounds[1]) [bounds[0], bounds[1]] = [log ? 0.1 : 0, 1];
      if (log) {
        const room = Math.max(1.25, (bounds[1] / bounds[0]) ** 0.06);
        [bounds[0], bounds[1]] = [bounds[0] / room, bounds[1] * room];
      } else {
        const room = bounds[1] > bounds[0] ? 0.04 * (bounds[1] - bounds[0]) : 0.1 * (Math.abs(bounds[0]) || 1);
        const free = !this.sorted.every(Boolean) || curves.some((curve) => curve.style === 'points');  // x is no course of time
        if (bounds === y || free || bounds[1] === bounds[0]) [bounds[0], bounds[1]] = [bounds[0] - room, bounds[1] + room];
      }
    }
    this.range = [x[0], x[1], y[0], y[1]];
  }

  private place(v: number, axis: 0 | 1): number {
    const of = (u: number) => this.options.log ? Math.log10(u) : u;
    const low = of(this.range[2 * axis]), high = of(this.range[2 * axis + 1]), share = (of(v) - low) / (high - low);
    return axis === 0 ? this.inside.left + share * this.inside.width : this.inside.top + (1 - share) * this.inside.height;
  }

  private build(): void {
    const {curves, marks = [], bare, log = false, equal} = this.options;
    const width = Math.max(this.element.clientWidth, 160), height = this.options.height ?? 230;
    this.inside = bare ? {left: 4, top: 4, width: width - 8, height: height - 8} : {left: 68, top: 24, width: width - 84, height: height - 66};
    this.find_range();
    if (this.zoom) this.range = [...this.zoom];
    if (equal) this.make_equal();
    this.svg = make('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${this.options.y_label} over ${this.options.x_label}`});
    const {left, top, width: w, height: h} = this.inside;
    if (!bare) this.draw_axes(log);
    const id = `clip-${Math.random().toString(36).slice(2)}`;
    make('rect', {x: left - 5, y: top - 5, width: w + 10, height: h + 10}, make('clipPath', {id}, this.svg));
    const group = make('g', {'clip-path': `url(#${id})`}, this.svg);
    curves.forEach((curve, i) => {
      const {color, dash} = curve_style(i), radius = bare ? 1.5 : curve.x.length > 500 ? 1.8 : 4;
      if (curve.style !== 'points') make('path', {d: this.line_of(i), class: `curve k${color}`, 'stroke-dasharray': kDashes[dash].join(' ')}, group);
      if (curve.style !== 'line') make('path', {d: this.points_of(curve, kShapes[dash](radius)), class: `points k${color}`}, group);
    });
    for (const mark of marks) this.draw_mark(mark, group);
    this.hair = make('line', {class: 'hair', y1: top, y2: top + h, visibility: 'hidden'}, this.svg);
    this.time_line = make('line', {class: 'now', y1: top, y2: top + h, visibility: 'hidden'}, this.svg);
    this.element.replaceChildren(this.svg);
    if (!bare) {
      this.element.append(this.make_key());
      this.bind();
    }
    this.set_time(this.time);
  }

  /** The shorter of both ranges grows, about its middle. */
  private make_equal(): void {
    const r = this.range, [w, h] = [(r[1] - r[0]) / this.inside.width, (r[3] - r[2]) / this.inside.height];
    const [a, grow] = w < h ? [0, h / w] : [2, w / h];
    const middle = (r[a] + r[a + 1]) / 2, half = grow * (r[a + 1] - r[a]) / 2;
    [r[a], r[a + 1]] = [middle - half, middle + half];
  }

  private draw_axes(log: boolean): void {
    const {left, top, width: w, height: h} = this.inside, [x0, x1, y0, y1] = this.range;
    make('rect', {x: left, y: top, width: w, height: h, class: 'frame'}, this.svg);
    for (const t of make_ticks(x0, x1, Math.floor(w / 74), log)) {
      const x = this.place(t, 0);
      make('line', {x1: x, x2: x, y1: top, y2: top + h, class: 'grid'}, this.svg);
      make('text', {x, y: top + h + 16, 'text-anchor': 'middle'}, this.svg).textContent = format_tick(t);
    }
    for (const t of make_ticks(y0, y1, Math.floor(h / 24), log)) {
      const y = this.place(t, 1);
      make('line', {x1: left, x2: left + w, y1: y, y2: y, class: 'grid'}, this.svg);
      const text = make('text', {x: left - 6, y: y + 4, 'text-anchor': 'end'}, this.svg);
      text.textContent = format_tick(t);
    }
    const below = make('text', {x: left + w / 2, y: top + h + 34, 'text-anchor': 'middle', class: 'axis'}, this.svg);
    below.textContent = this.options.x_label;
    const above = make('text', {x: 4, y: 13, class: 'axis'}, this.svg);
    above.textContent = this.options.y_label;
  }

  /** Of many points in one column of pixels the first, the extremes and the last. */
  private line_of(i: number): string {
    const {x, y} = this.options.curves[i], dense = this.sorted[i] && x.length > 4 * this.inside.width;
    let path = '', pen = false, column = NaN, low = 0, high = 0, last = 0;
    const to = (px: number, py: number) => {
      path += `${pen ? 'L' : 'M'}${px.toFixed(1)} ${py.toFixed(1)}`;
      pen = true;
    };
    const flush = () => {
      if (Number.isNaN(column)) return;
      for (const v of [low, high, last]) to(column, v);
      column = NaN;
    };
    for (let k = 0; k < x.length; ++k) {
      const bad = !Number.isFinite(x[k]) || !Number.isFinite(y[k]) || (this.options.log && (x[k] <= 0 || y[k] <= 0));
      if (bad) {
        flush();
        pen = false;
        continue;
      }
      const px = this.place(x[k], 0), py = this.place(y[k], 1);
      if (!dense) {
        to(px, py);
        continue;
      }
      if (Math.round(px) !== column) {
        flush();
        [column, low, high] = [Math.round(px), py, py];
        to(px, py);
      }
      [low, high, last] = [Math.min(low, py), Math.max(high, py), py];
    }
    flush();
    return path;
  }

  private points_of({x, y}: Curve, shape: string): string {
    let path = '';
    for (let k = 0; k < x.length; ++k) {
      if (!Number.isFinite(x[k]) || !Number.isFinite(y[k]) || (this.options.log && (x[k] <= 0 || y[k] <= 0))) continue;
      path += `M${this.place(x[k], 0).toFixed(1)} ${this.place(y[k], 1).toFixed(1)}${shape}`;
    }
    return path;
  }

  private draw_mark(mark: Mark, group: Element): void {
    const {left, top, width, height} = this.inside;
    let shape: SVGElement;
    if (mark.x !== null && mark.y !== null) {
      shape = make('path', {d: this.points_of({label: '', x: [mark.x], y: [mark.y], style: 'points'}, kMarkShape(5)), class: 'published'}, group);
    } else if (mark.x !== null) {
      shape = make('line', {x1: this.place(mark.x, 0), x2: this.place(mark.x, 0), y1: top, y2: top + height, class: 'published'}, group);
    } else if (mark.y !== null) {
      shape = make('line', {x1: left, x2: left + width, y1: this.place(mark.y, 1), y2: this.place(mark.y, 1), class: 'published'}, group);
    } else {
      return;
    }
    make('title', {}, shape).textContent = mark.label;
  }

  /** What is what, below: a curve's dash, points' shape, and the value under the pointer. */
  private make_key(): HTMLElement {
    const key = document.createElement('ul');
    key.className = 'chart-key';
    this.values = this.options.curves.map((curve, i) => {
      const item = document.createElement('li'), value = document.createElement('output');
      const swatch = make_swatch(), {color, dash} = curve_style(i);
      if (curve.style !== 'points') make('line', {x1: 0, x2: 32, y1: 6, y2: 6, class: `curve k${color}`, 'stroke-dasharray': kDashes[dash].join(' ')}, swatch);
      if (curve.style !== 'line') make('path', {d: `M16 6${kShapes[dash](4)}`, class: `points k${color}`}, swatch);
      item.append(swatch, curve.label, ' ', value);
      key.append(item);
      return value;
    });
    for (const [mark, label] of this.name_marks()) {
      const item = document.createElement('li');
      const swatch = make_swatch();
      if (mark.x !== null && mark.y !== null) make('path', {d: `M16 6${kMarkShape(4)}`, class: 'published'}, swatch);
      else make('line', {x1: 0, x2: 32, y1: 6, y2: 6, class: 'published'}, swatch);
      item.append(swatch, label);
      key.append(item);
    }
    return key;
  }

  /** Marks as the key has them: few by themselves, of a kind of many how many they are. */
  private name_marks(): [Mark, string][] {
    const kinds = new Map<string, Mark[]>();
    for (const mark of this.options.marks ?? []) {
      const kind = `${mark.kind}${mark.x === null || mark.y === null}`;
      kinds.set(kind, [...kinds.get(kind) ?? [], mark]);
    }
    return [...kinds.values()].flatMap((marks): [Mark, string][] =>
        marks.length <= kMostNamed ? marks.map((mark) => [mark, mark.label]) : [[marks[0], `${marks[0].kind}: ${marks.length} of the numbers below`]]);
  }

  /** A click goes to its place, a drag shows what it spans, a double click all. */
  private bind(): void {
    make('title', {}, this.svg).textContent = 'Drag to zoom, double click to show all';
    const on = (name: string, action: (e: PointerEvent) => void) => this.svg.addEventListener(name, (e) => action(e as PointerEvent));
    on('pointermove', (e) => {
      this.hover(e);
      if (this.pressed) this.draw_band(this.pressed, this.point_at(e));
    });
    on('pointerleave', () => this.hover(undefined));
    on('pointerdown', (e) => {
      if (e.button !== 0) return;
      this.pressed = this.point_at(e);
      this.svg.setPointerCapture(e.pointerId);
    });
    on('pointercancel', () => this.end_drag());
    on('pointerup', (e) => {
      const from = this.pressed, to = this.point_at(e);
      this.end_drag();
      if (!from) return;
      const [dx, dy] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
      if (Math.max(dx, dy) < kClick) this.options.on_pick?.(this.value_at(to.x, 0));
      else if (dx >= kClick) this.zoom_to(from, to, dy >= kBox);
    });
    on('dblclick', () => {
      if (!this.zoom) return;
      this.zoom = undefined;
      this.build();
    });
  }

  private end_drag(): void {
    this.pressed = undefined;
    this.band?.remove();
    this.band = undefined;
  }

  /** The part of the picture that a drag spans: all of its height where the drag is flat. */
  private draw_band(from: {x: number; y: number}, to: {x: number; y: number}): void {
    const {top, height} = this.inside, flat = Math.abs(to.y - from.y) < kBox;
    this.band ??= make('rect', {class: 'band'}, this.svg);
    const box = {x: Math.min(from.x, to.x), width: Math.abs(to.x - from.x), y: flat ? top : Math.min(from.y, to.y), height: flat ? height : Math.abs(to.y - from.y)};
    for (const [name, value] of Object.entries(box)) this.band.setAttribute(name, String(value));
  }

  private zoom_to(from: {x: number; y: number}, to: {x: number; y: number}, both: boolean): void {
    const x = [from.x, to.x].sort((a, b) => a - b).map((v) => this.value_at(v, 0));
    const y = both ? [from.y, to.y].sort((a, b) => b - a).map((v) => this.value_at(v, 1)) : this.range.slice(2);
    if (!(x[1] > x[0] && y[1] > y[0])) return;
    this.zoom = [x[0], x[1], y[0], y[1]];
    this.build();
  }

  /** Where the pointer is, in the picture and within its axes [px]. */
  private point_at(e: MouseEvent): {x: number; y: number} {
    const box = this.svg.getBoundingClientRect(), scale = Number(this.svg.getAttribute('viewBox')!.split(' ')[2]) / box.width;
    const within = (v: number, low: number, size: number) => Math.min(Math.max(v, low), low + size), {left, top, width, height} = this.inside;
    return {x: within((e.clientX - box.left) * scale, left, width), y: within((e.clientY - box.top) * scale, top, height)};
  }

  /** What place() puts there. */
  private value_at(p: number, axis: 0 | 1): number {
    const {left, top, width, height} = this.inside, [low, high] = this.range.slice(2 * axis, 2 * axis + 2);
    const share = axis === 0 ? (p - left) / width : 1 - (p - top) / height;
    return this.options.log ? 10 ** (Math.log10(low) + share * Math.log10(high / low)) : low + share * (high - low);
  }

  private hover(e?: PointerEvent): void {
    this.hair.setAttribute('visibility', e ? 'visible' : 'hidden');
    if (!e) {
      this.show_values(this.time);
      return;
    }
    const {x: px} = this.point_at(e), x = this.value_at(px, 0);
    this.hair.setAttribute('x1', String(px));
    this.hair.setAttribute('x2', String(px));
    this.show_values(x);
  }

  private show_values(at: number): void {
    this.options.curves.forEach(({x, y}, i) => {
      let text = '';
      if (Number.isFinite(at) && this.sorted[i] && x.length > 0) {
        let low = 0, high = x.length - 1;
        while (high - low > 1) {
          const middle = (low + high) >> 1;
          if (x[middle] <= at) low = middle;
          else high = middle;
        }
        const k = Math.abs(x[low] - at) <= Math.abs(x[high] - at) ? low : high;
        text = show(y[k], 5);
      }
      this.values[i].textContent = text;
    });
  }

  /** Marks a time on the axis of x; NaN: none. */
  set_time(t: number): void {
    this.time = t;
    if (!this.svg || this.options.bare) return;
    const shown = Number.isFinite(t) && t >= this.range[0] && t <= this.range[1];
    this.time_line.setAttribute('visibility', shown ? 'visible' : 'hidden');
    if (shown) {
      this.time_line.setAttribute('x1', String(this.place(t, 0)));
      this.time_line.setAttribute('x2', String(this.place(t, 0)));
    }
    this.show_values(t);
  }
}
