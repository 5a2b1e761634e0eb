// SPDX-License-Identifier: BSD-3-Clause
// The page of results: certificate, replay and plots of what `stickslip report` put into it, or a study's of a gallery.
import {fill_signals, list_all_signals, mark_colors, Panel, save_file, Status} from './plots';
import {Replay} from './replay';
import {Push} from './hand';
import {view_live} from './live';
import {Certificate, find_nearest, find_row, kCut, kRunning, read_results, Result, show} from './result';
import {first_plots, Signal} from './signals';
import {read_study} from './study';
import {Tree} from './tree';

const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const kLegendInterval = 80;  // [ms] between two updates of plots while it plays

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const root = document.documentElement;

function certificate_sentence(c: Certificate, outcome: string): [boolean, string] {
  const limits = c.limits.length === 0 ? 'every limit held' : `${c.limits.length} limit${c.limits.length > 1 ? 's were' : ' was'} passed: ${c.limits[0]}`;
  const place = c.place && c.residual ? `, at ${c.place} at t = ${show(c.time, 5)} s` : '';
  const worst = `the worst residual was ${show(c.residual)} m/s (relative ${show(c.relative)})${place}`;
  const plural = c.steps === 1 ? 'step was' : 'steps were';
  const all = c.inexact > 0 ? `${c.inexact} of ${c.steps} steps stayed above the tolerance` : `all ${c.steps} steps so far were solved to the tolerance`;
  if (outcome === 'running' || outcome === 'interrupted' || outcome === kRunning || outcome === kCut) {
    const state = outcome === kRunning ? 'Running' : outcome === kCut ? 'Ended before its result was written' : outcome === 'running' ? 'Not finished (running when this page was made, or killed)' : 'Interrupted';
    return [false, c.steps === 0 ? `${state}: no step has been made.` : `${state}: ${all}; ${worst}; ${limits}.`];
  }
  if (c.failed > 0) return [false, `Stopped: a step failed after ${c.steps} steps; ${worst}; ${limits}.`];
  if (c.inexact > 0) return [false, `${c.inexact} of ${c.steps} steps stayed above the tolerance; ${worst}; ${limits}.`];
  return [c.limits.length === 0, `All ${c.steps} ${plural} solved to the tolerance: ${worst}; ${limits}.`];
}

export class Page {
  private signals: Signal[][];
  readonly panels: Panel[] = [];
  replay?: Replay;
  time = 0;
  playing = false;
  private shown = 0;
  private speed = 1;
  private last = 0;
  private legends_at = 0;
  private start = Infinity;
  private end = -Infinity;
  private picked = -1;
  following = false;          // what a run that goes on has reached last is shown
  private goes_on = false;
  private was_dark = false;   // before it was printed
  private tree = new Tree(find<HTMLDetailsElement>('tree-panel'), (body) => this.pick(body));
  readonly study = read_study({go: (run, t) => this.go(run, t)});

  constructor(public results: Result[]) {
    this.signals = list_all_signals(results);
    const query = new URLSearchParams(location.hash.slice(1));
    if (query.has('picture')) root.classList.add('picture');
    if (query.has('dark') || (!query.has('light') && matchMedia('(prefers-color-scheme: dark)').matches)) root.classList.add('dark');
    this.find_times();
    this.write_head();
    this.make_replay();
    this.make_plots();
    this.bind();
    const at = Number(query.get('t'));
    this.set_time(query.has('t') && Number.isFinite(at) ? at : this.start);
    requestAnimationFrame((now) => this.tick(now));
  }

  /** From the first instant of these results, of a study of the run that is shown, to the last. */
  private find_times(): void {
    const results = this.study ? [this.results[this.shown]] : this.results;
    this.start = Math.min(...results.map((r) => r.frame_time[0]));
    this.end = Math.max(...results.map((r) => r.frame_time[r.frame_time.length - 1]));
  }

  /** Shows other results in place of these. goes_on: they get more rows, see extend(). */
  reload(results: Result[], goes_on: boolean): void {
    this.results = results;
    this.goes_on = goes_on;
    this.shown = 0;
    this.signals = list_all_signals(results);
    this.find_times();
    this.write_head();
    this.show_picked(-1);
    this.replay?.load(results[0], goes_on, true);
    this.tree.load(results[0]);
    this.write_force_key();
    this.apply_options();
    for (const panel of this.panels) panel.update(this.signals);
    this.go_to(this.following ? this.end : this.time);
  }

  /** The results have more rows. with_plots: which takes longer, the plots show them, too. */
  extend(with_plots: boolean): void {
    this.find_times();
    if (with_plots) {
      this.write_head();
      this.replay?.extend();
      this.write_force_key();
      if (find<HTMLInputElement>('show-trails').checked) this.replay?.set_trails(true);
      this.signals = list_all_signals(this.results);
      for (const panel of this.panels) panel.update(this.signals);
    }
    this.go_to(this.following ? this.end : this.time);
  }

  /** Bodies where they begin, (7) each, in the place of the run; none: the run again. */
  show_pose(poses?: Float64Array): void {
    this.replay?.show_pose(poses);
  }

  /** Lets bodies be dragged, and tells `push` of it; none: no more. with_mouse: also without the Shift key. */
  let_push(push?: (push?: Push) => void, with_mouse = false): void {
    if (!this.replay) return;
    if (!push || !this.following) this.replay.release();
    this.replay.on_push = this.following ? push : undefined;
    this.replay.drag_pushes = with_mouse;
  }

  private write_head(): void {
    find('certificates').replaceChildren();
    find('notes').replaceChildren();
    const first = this.results[0].header;
    const title = [...new Set(this.results.map((r) => r.header.name))].join(', ');
    document.title = `${title} - stickslip`;
    find('title').textContent = title;
    find('subtitle').textContent = this.results.map(({header: h}) => `${h.file}: scheme ${h.scheme}, solver ${h.solver}`).join('; ') +
        `; t = ${show(this.start, 5)} to ${show(this.end, 5)} s`;
    for (const {header} of this.results) {
      const [good, sentence] = certificate_sentence(header.certificate, header.outcome);
      const line = document.createElement('p');
      line.className = good ? 'certificate' : 'certificate bad';
      line.textContent = (this.results.length > 1 ? `${header.file}: ` : '') + sentence + (header.message ? ` ${header.message}` : '');
      find('certificates').append(line);
      for (const note of header.notes) {
        const item = document.createElement('li');
        item.textContent = (this.results.length > 1 ? `${header.file}: ` : '') + note;
        find('notes').append(item);
      }
    }
    find('scene').textContent = first.scene;
    this.write_key();
    if (!this.study) return;
    document.title = `${this.study.data.title} - stickslip`;
    find('title').textContent = this.study.data.title;
    find('subtitle').textContent = this.study.data.source;
    find('subtitle').after(this.study.make_ways());
    const kept = document.createElement('details'), summary = document.createElement('summary');
    summary.textContent = 'What of the runs is in this page';
    kept.append(summary, find('notes'));
    document.querySelector('footer')!.prepend(kept);
  }

  /** What marks in the picture mean. */
  private write_key(): void {
    const key = find('key'), colors = mark_colors();
    key.replaceChildren();
    const forms = {open: '<circle cx="5" cy="5" r="4"/>', stick: '<rect x="1" y="1" width="8" height="8"/>', slip: '<path d="M5 0 10 5 5 10 0 5z"/>'};
    if (this.results.some((r) => r.get('contact_offset'))) {
      for (const [status, form] of Object.entries(forms)) {
        const item = document.createElement('span');
        item.innerHTML = `<svg viewBox="0 0 10 10" fill="${colors[status as Status]}">${form}</svg>${status}`;
        key.append(item);
      }
      const item = document.createElement('span');
      item.id = 'force-key';
      item.innerHTML = `<svg viewBox="0 0 10 10" fill="${colors.force}"><path d="M0 4h5V1l5 4-5 4V6H0z"/></svg><span></span>`;
      key.append(item);
    }
    key.hidden = key.childElementCount === 0;
  }

  private make_replay(): void {
    try {
      this.replay = new Replay(find<HTMLCanvasElement>('canvas'), find('view'), (body) => this.show_picked(body));
      this.replay.load(this.results[0]);
      this.apply_options();
    } catch (error) {
      this.replay = undefined;
      find('no-webgl').hidden = false;
      console.warn(error);
    }
    this.tree.load(this.results[0]);
    this.write_force_key();
    const which = find<HTMLSelectElement>('which');
    this.results.forEach(({header}, i) => which.append(new Option(`${header.file} (${header.scheme})`, String(i))));
    find('which-label').hidden = this.results.length < 2;
  }

  private write_force_key(): void {
    const scale = this.replay?.overlay.scale() ?? 0, text = document.querySelector('#force-key span');
    if (text) text.textContent = scale > 0 ? 'force' : 'no force';
  }

  private make_plots(): void {
    const add = find<HTMLSelectElement>('add-plot');
    fill_signals(add, this.signals[0], 'choose a signal');
    add.addEventListener('change', () => {
      const signal = this.signals[0].find((s) => s.id === add.value);
      if (signal) this.add_panel(signal.label, [signal.id], true);
      add.selectedIndex = 0;
    });
    if (this.study) {
      find('panels').after(this.study.figures);
      document.querySelector('main')!.append(this.study.make_tables());
      return;
    }
    for (const [title, ids] of first_plots(this.results[0], this.signals[0])) this.add_panel(title, ids);
  }

  add_panel(title: string, ids: string[], at_top = false): Panel {
    const holder = find('panels');
    const panel = new Panel(this, this.signals, title, ids, (gone) => {
      gone.element.remove();
      this.panels.splice(this.panels.indexOf(gone), 1);
    });
    if (at_top) holder.prepend(panel.element);
    else holder.append(panel.element);
    panel.build();
    panel.set_time(this.time);
    this.panels.push(panel);
    return panel;
  }

  /** Goes to t [s], within what there is; at the end of a run that goes on, on with it. */
  set_time(t: number): void {
    this.following = this.goes_on && t >= this.end;
    this.go_to(t);
  }

  private go_to(t: number): void {
    this.time = Math.min(Math.max(t, this.start), this.end);
    const share = this.end > this.start ? (this.time - this.start) / (this.end - this.start) : 0;
    find<HTMLInputElement>('scrubber').value = String(Math.round(1e6 * share));
    find('clock').textContent = `t = ${this.time.toFixed(this.end - this.start < 1 ? 4 : 3)} s`;
    this.replay?.set_time(this.time);
    this.tree.set_time(this.time);
    this.study?.set_time(this.results[this.shown].header.file.replace(/\.h5$/, ''), this.time);
    if (this.picked >= 0) this.show_picked(this.picked);
    const now = performance.now();
    if (this.playing && now - this.legends_at < kLegendInterval) return;
    this.legends_at = now;
    for (const panel of this.panels) panel.set_time(this.time);
  }

  /** One frame on or back, or several. */
  step(frames: number): void {
    this.play(false);
    const times = this.results[this.shown].frame_time;
    const i = find_nearest(times, this.time);
    this.set_time(times[Math.min(Math.max(i + frames, 0), times.length - 1)]);
  }

  play(on: boolean): void {
    if (on && this.time >= this.end) this.set_time(this.start);
    this.playing = on;
    this.last = 0;
    find('play').textContent = on ? 'Stop' : 'Play';
    if (!on) for (const panel of this.panels) panel.set_time(this.time);
  }

  private tick(now: number): void {
    const moves = this.playing || this.following;
    const interval = moves && this.last > 0 ? now - this.last : 0;
    if (this.playing) {
      if (this.last > 0) this.set_time(this.time + this.speed * Math.min(interval, 250) / 1000);
      if (this.time >= this.end) this.play(false);
    }
    this.last = moves ? now : 0;
    this.replay?.draw(interval);
    requestAnimationFrame((next) => this.tick(next));
  }

  /** A body that is picked elsewhere than in the picture. */
  private pick(body: number): void {
    this.replay?.select(body);
    this.show_picked(body);
  }

  private show_picked(body: number): void {
    this.picked = body;
    this.tree.select(body);
    const box = find('picked'), result = this.results[this.shown], header = result.header;
    box.hidden = body < 0;
    if (body < 0 || !this.replay) return;
    const pose = this.replay.pose(body), mass = result.get('mass')?.[body];
    const lines = [`${header.bodies[body]} (${header.types[body]})`];
    if (mass !== undefined && Number.isFinite(mass)) lines.push(`mass ${show(mass, 4)} kg`);
    const axes = header.planar ? 2 : 3;
    lines.push(`position (${Array.from(pose.slice(0, axes), (x) => show(x, 4)).join(', ')}) m`);
    const u = result.get('/u'), layout = result.get('layout'), rows = result.get('row_time');
    if (u && layout && rows && layout[4 * body + 3] > 0 && header.types[body] !== 'beam') {
      const at = find_row(rows, this.time + 1e-12) * (u.length / rows.length) + layout[4 * body + 2];
      lines.push(`velocity (${Array.from(u.slice(at, at + axes), (x) => show(x, 4)).join(', ')}) m/s`);
    }
    box.textContent = lines.join('\n');
  }

  /** To a time of a study's run. */
  private go(run: string, t: number): void {
    const i = this.results.findIndex(({header}) => header.file === `${run}.h5`);
    if (i < 0) return;
    this.play(false);
    if (i !== this.shown) {
      find<HTMLSelectElement>('which').value = String(i);
      this.show_result(i);
    }
    this.set_time(t);
  }

  private show_result(i: number): void {
    this.shown = i;
    this.find_times();
    this.show_picked(-1);
    this.replay?.load(this.results[i]);
    this.tree.load(this.results[i]);
    this.apply_options();
    this.set_time(this.time);
  }

  private apply_options(): void {
    const checked = (id: string) => find<HTMLInputElement>(id).checked;
    if (!this.replay) return;
    this.replay.overlay.show_contacts = checked('show-contacts');
    this.replay.overlay.show_forces = checked('show-forces');
    this.replay.overlay.show_cones = checked('show-cones');
    this.replay.show_names = checked('show-names');
    this.replay.show_solids(checked('show-solids'));
    find('solids-label').hidden = !this.results[this.shown].get('shapes/visual');
    this.replay.set_trails(checked('show-trails'));
    this.replay.set_time(this.time);
  }

  private set_theme(dark: boolean): void {
    root.classList.toggle('dark', dark);
    find('theme').textContent = dark ? 'Light' : 'Dark';
    this.replay?.set_theme();
    this.write_key();
    this.write_force_key();
    for (const panel of this.panels) panel.build();
    queueMicrotask(() => { for (const panel of this.panels) panel.set_time(this.time); });  // once they are drawn
  }

  /** On paper the page is light. What WebGL draws is shown only later: a copy of it is printed. */
  private begin_print(): void {
    this.was_dark = root.classList.contains('dark');
    if (this.was_dark) this.set_theme(false);
    if (!this.replay) return;
    const drawn = find<HTMLCanvasElement>('canvas'), copy = document.createElement('canvas');
    this.replay.set_time(this.time);
    this.replay.draw(0);
    [copy.id, copy.width, copy.height] = ['print', drawn.width, drawn.height];
    copy.getContext('2d')?.drawImage(drawn, 0, 0);
    find('view').insertBefore(copy, drawn.nextSibling);
  }

  private end_print(): void {
    document.getElementById('print')?.remove();
    if (this.was_dark) this.set_theme(true);
  }

  private bind(): void {
    const speed = find<HTMLSelectElement>('speed');
    for (const s of kSpeeds) speed.append(new Option(`${s}x`, String(s)));
    // A short event is shown slowly: the whole run takes at least 2 s.
    const own = this.end === this.start ? 1 : [...kSpeeds].reverse().find((s) => s <= 1 && (this.end - this.start) / s >= 2) ?? kSpeeds[0];
    this.speed = own;
    speed.value = String(own);
    speed.addEventListener('change', () => { this.speed = Number(speed.value); });
    find('theme').textContent = root.classList.contains('dark') ? 'Light' : 'Dark';
    const click = (id: string, action: () => void) => find(id).addEventListener('click', action);
    click('play', () => this.play(!this.playing));
    click('first', () => this.set_time(this.start));
    click('back', () => this.step(-1));
    click('forward', () => this.step(1));
    click('last', () => this.set_time(this.end));
    click('frame', () => this.replay?.frame());
    click('theme', () => this.set_theme(!root.classList.contains('dark')));
    click('help-button', () => find<HTMLDialogElement>('help').showModal());
    click('screenshot', () => this.replay?.to_blob().then((blob) => {
      if (blob) save_file(blob, `${this.results[this.shown].header.name}-${this.time.toFixed(3)}s.png`);
    }));
    find<HTMLInputElement>('scrubber').addEventListener('input', (e) => {
      this.play(false);
      this.set_time(this.start + (this.end - this.start) * Number((e.target as HTMLInputElement).value) / 1e6);
    });
    find<HTMLSelectElement>('which').addEventListener('change', (e) => this.show_result(Number((e.target as HTMLSelectElement).value)));
    for (const id of ['contacts', 'forces', 'cones', 'trails', 'names', 'solids']) {
      find(`show-${id}`).addEventListener('change', () => this.apply_options());
    }
    document.addEventListener('keydown', (e) => this.answer_key(e));
    addEventListener('beforeprint', () => this.begin_print());
    addEventListener('afterprint', () => this.end_print());
    new ResizeObserver(() => {
      this.replay?.resize();
      for (const panel of this.panels) panel.resize();
    }).observe(find('view'));
  }

  private answer_key(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.altKey || e.metaKey || target.tagName === 'SELECT' || target.closest('#live') || find<HTMLDialogElement>('help').open) return;
    if (e.key === ' ' && target.tagName === 'BUTTON') return;  // presses it
    const frames = e.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      ' ': () => this.play(!this.playing),
      ArrowLeft: () => this.step(-frames),
      ArrowRight: () => this.step(frames),
      Home: () => this.set_time(this.start),
      End: () => this.set_time(this.end),
      f: () => this.replay?.frame(),
      d: () => this.set_theme(!root.classList.contains('dark')),
      '?': () => find<HTMLDialogElement>('help').showModal(),
    };
    const action = actions[e.key];
    if (!action) return;
    e.preventDefault();
    action();
  }
}

declare global {
  interface Window {
    stickslip: Page;  // for scripts that drive the page
  }
}

const embedded = read_results();
if (embedded.length > 0) window.stickslip = new Page(embedded);
else void view_live((results) => window.stickslip = new Page(results));
