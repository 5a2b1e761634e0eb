// SPDX-License-Identifier: BSD-3-Clause
// What a viewer of a run that goes on can do with it: pause, step, stop, pace, and run it again with other parameters.
import {Push} from './hand';
import {Pushes} from './pushes';
import {Certificate, show} from './result';
import {PoseAnswer, StartPose} from './start_pose';

const kTicks = 200;  // [-] of a slider

/** What the server tells of a run. */
export interface LiveState {
  version: number;
  revision: number;
  last: number;
  transient: boolean;
  more: boolean;
  phase: 'preparing' | 'running' | 'ended' | 'growing' | 'result';
  message: string;
  controls: boolean;
  paused: boolean;
  pace: 'real' | 'fast';
  time: number | null;
  share: number | null;
  steps: number;
  rows: number;
  left_out: number;
  rate: number | null;
  certificate?: Certificate;
  parameters: [string, number][];
  viewers: number;
  posable: boolean;  // joints have starts to choose
}

/** A name and a number that somebody may change, by hand or by a slider from 0 to twice the first value. */
class ParameterRow {
  readonly element = document.createElement('label');
  private slider = document.createElement('input');
  private number = document.createElement('input');

  constructor(readonly name: string, private told: number) {
    const value = told;
    const text = document.createElement('span');
    text.textContent = name;
    const reach = value === 0 ? 1 : Math.abs(value);
    this.slider.type = 'range';
    this.slider.min = String(value > 0 ? 0 : value - reach);
    this.slider.max = String(value + reach);
    this.slider.step = String((Number(this.slider.max) - Number(this.slider.min)) / kTicks);
    this.number.type = 'number';
    this.number.step = 'any';
    this.slider.setAttribute('aria-label', name);
    this.slider.addEventListener('input', () => { this.number.value = String(Number(Number(this.slider.value).toPrecision(6))); });
    this.number.addEventListener('input', () => { this.slider.value = this.number.value; });
    this.set(value);
    this.element.append(text, this.slider, this.number);
  }

  set(value: number): void {
    this.slider.value = String(value);
    this.number.value = String(value);
  }

  /** What the last run had: shown, unless somebody has set something else since the last time. */
  tell(value: number): void {
    if (value === this.told) return;
    if (this.value() === this.told) this.set(value);
    this.told = value;
  }

  value(): number {
    return this.number.valueAsNumber;
  }
}

export class Controls {
  private element = document.getElementById('live') as HTMLElement;
  private says = document.createElement('p');
  private message = document.createElement('p');
  private buttons = document.createElement('div');
  private pause = this.button('Pause', 'The run waits', () => this.ask(this.state?.paused ? 'resume' : 'pause'));
  private step = this.button('One step', 'The run makes one time step and waits', () => this.ask('step'));
  private stop = this.button('Stop', 'The run ends here; its result stays', () => this.ask('stop'));
  private again = this.button('Run again', 'From the start, with these parameters; the result is written over', () => this.restart());
  private pace = document.createElement('select');
  private parameters = document.createElement('details');
  private rows: ParameterRow[] = [];
  private state?: LiveState;
  private complaint = '';  // what was wrong with what was asked last
  private pose: StartPose;
  private drag = document.createElement('input');
  private pushes = new Pushes((text) => this.complain(text));

  /** unpack: what the program packed. show_pose: poses of bodies in the place of what the run does; none: no more. */
  constructor(unpack: (buffer: ArrayBuffer) => {header: unknown; start: number}, show_pose: (poses?: Float64Array) => void) {
    this.pose = new StartPose(async (starts) => {
      const answer = await fetch('pose', {method: 'POST', body: this.wishes(starts)});
      if (!answer.ok) throw new Error(await answer.text());
      const buffer = await answer.arrayBuffer(), {header, start} = unpack(buffer);
      return {header: header as PoseAnswer['header'], buffer, start};
    }, show_pose, (text) => this.complain(text));
    this.pace.append(new Option('as in reality', 'real'), new Option('as fast as it goes', 'fast'));
    this.pace.addEventListener('change', () => this.ask(this.pace.value));
    const pace_label = document.createElement('label');
    pace_label.append('Pace ', this.pace);
    this.buttons.className = 'row';
    this.drag.type = 'checkbox';
    this.drag.id = 'drag-pushes';
    const drag_label = document.createElement('label');
    drag_label.append(this.drag, ' drag pushes bodies');
    drag_label.title = 'A spring between the mouse and the body; with the Shift key without this';
    this.buttons.append(this.pause, this.step, this.stop, pace_label, this.again, drag_label);
    this.says.id = 'live-state';
    this.says.textContent = 'Waiting for the program.';
    this.message.id = 'live-message';
    this.message.setAttribute('role', 'alert');
    const summary = document.createElement('summary');
    summary.textContent = 'Parameters of the scene';
    this.parameters.append(summary);
    this.parameters.open = true;
    this.buttons.hidden = this.message.hidden = this.parameters.hidden = this.pose.element.hidden = true;
    this.element.append(this.says, this.message, this.buttons, this.parameters, this.pose.element);
    this.element.hidden = false;
  }

  private button(text: string, title: string, action: () => void): HTMLButtonElement {
    const button = document.createElement('button');
    button.textContent = text;
    button.title = title;
    button.addEventListener('click', action);
    return button;
  }

  private ask(what: string, body = ''): void {
    fetch(what, {method: 'POST', body}).then(async (answer) => {
      this.complain(answer.ok ? '' : await answer.text());
    }, () => this.lose());
  }

  private restart(): void {
    const bad = this.rows.find((row) => !Number.isFinite(row.value()));
    if (bad) return this.complain(`${bad.name}: a number`);
    this.ask('restart', this.wishes(this.pose.starts().join('\n')));
    this.pose.close();
  }

  /** Who drags bodies tells the program, while there is a run. */
  pusher(): ((push?: Push) => void) | undefined {
    return this.state?.phase === 'running' && this.state.controls ? (push) => this.pushes.set(push) : undefined;
  }

  drag_pushes(): boolean {
    return this.drag.checked;
  }

  /** Parameters that are numbers, and the starts of joints. */
  private wishes(starts: string): string {
    const lines = this.rows.filter((row) => Number.isFinite(row.value())).map((row) => `${row.name}=${row.value()}`);
    return [...lines, starts].join('\n');
  }

  private complain(text: string): void {
    this.complaint = text;
    this.show_message();
  }

  private show_message(): void {
    const text = this.complaint || (this.state?.message ?? '');
    this.message.textContent = text;
    this.message.hidden = text === '';
  }

  /** The server does not answer. */
  lose(): void {
    this.element.hidden = false;
    this.says.textContent = 'The program does not answer: it has ended. What it sent is still here.';
    this.buttons.hidden = this.parameters.hidden = this.pose.element.hidden = true;
  }

  show(state: LiveState): void {
    this.state = state;
    this.says.textContent = describe(state);
    this.show_message();
    this.element.hidden = state.phase === 'result' && state.message === '';
    this.buttons.hidden = !state.controls;
    this.pose.element.hidden = !state.controls || !state.posable;
    const running = state.phase === 'running';
    for (const element of [this.pause, this.step, this.stop]) element.disabled = !running;
    this.pause.textContent = running && state.paused ? 'Go on' : 'Pause';
    if (document.activeElement !== this.pace) this.pace.value = state.pace;
    this.parameters.hidden = state.parameters.length === 0;
    for (const [name, value] of state.parameters) this.rows.find((row) => row.name === name)?.tell(value);
    if (this.rows.length > 0 || state.parameters.length === 0) return;
    this.rows = state.parameters.map(([name, value]) => new ParameterRow(name, value));
    const list = document.createElement('div');
    list.id = 'parameters';
    list.className = 'sliders';
    list.addEventListener('change', () => this.pose.refresh());
    list.append(...this.rows.map((row) => row.element));
    this.parameters.append(list);
  }
}

function describe(state: LiveState): string {
  if (state.phase === 'preparing') return 'The scene is being prepared.';
  if (state.phase === 'ended') return state.message ? 'The run has ended; this is what there is of it.' : 'The run has ended; this is its result.';
  if (state.phase === 'growing') return 'Not finished: another program writes this result, or was killed. New rows are shown as they come.';
  if (state.phase === 'result') return '';
  const dropped = state.left_out > 0 ? `; ${state.left_out} of ${state.rows} rows are not shown until the end (30 a second at most are)` : '';
  const rate = state.rate !== null && !state.paused ? `, ${show(state.rate)} steps/s` : '';
  return `${state.paused ? 'Paused' : 'Running'} at t = ${show(state.time, 6)} s (${Math.floor(100 * (state.share ?? 0))} %), step ${state.steps}${rate}${dropped}.`;
}
