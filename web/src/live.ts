// SPDX-License-Identifier: BSD-3-Clause
// A page that `stickslip view` serves: asks its server for the data and for what is new (src/stickslip/view/view_protocol.h).
import {Controls, LiveState} from './controls';
import {Push} from './hand';
import {Arrays, Header, kCut, kRunning, kTypes, Numbers, Result} from './result';

const kPlotsInterval = 250;  // [ms] at least between two updates of the plots
const kPlotsShare = 8;       // [-] of the time they take one part in so many at most
const kRetry = 1000;         // [ms] after which a server that does not answer is asked again

/** What shows the result as it grows. */
interface GrowingPage {
  following: boolean;
  reload(results: Result[], goes_on: boolean): void;
  extend(with_plots: boolean): void;
  show_pose(poses?: Float64Array): void;
  let_push(push?: (push?: Push) => void, with_mouse?: boolean): void;
}

/** What the server packed: a header in JSON and the numbers behind it. */
function unpack(buffer: ArrayBuffer): {header: unknown; start: number} {
  const length = new DataView(buffer).getUint32(0, true);
  const header: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return {header, start: 4 + length};
}

/** An array with room for more. */
class Column {
  length: number;
  constructor(private data: Numbers) {
    this.length = data.length;
  }
  push(more: Numbers): void {
    const length = this.length + more.length;
    if (length > this.data.length) {
      const larger = new (this.data.constructor as new(n: number) => Numbers)(Math.max(2 * this.data.length, length));
      larger.set(this.data.subarray(0, this.length));
      this.data = larger;
    }
    this.data.set(more, this.length);
    this.length = length;
  }
  get(): Numbers {
    return this.data.subarray(0, this.length);
  }
}

/** A result that gets more rows. */
export class LiveResult extends Result {
  private columns = new Map<string, Column>();
  private lengths?: Map<string, number>;  // without the last frame, which goes when the next comes

  constructor(header: Header, buffer: ArrayBuffer, start: number) {
    super(header, buffer, start);
    if (header.arrays.poses) {
      // In single precision from here on: what they are packed over is not known before the end.
      const poses = new Float32Array(7 * this.n_bodies * this.frame_time.length), out = new Float64Array(7 * this.n_bodies);
      this.frame_time.forEach((t, i) => {
        super.poses_at(t, out);
        poses.set(out, 7 * this.n_bodies * i);
      });
      this.columns.set('pose', new Column(poses));
    }
  }

  override get(name: string): Numbers | undefined {
    return this.columns?.get(name)?.get() ?? super.get(name);
  }

  /** Frames' arrays, as join_frames() makes them. transient: the last of them goes when the next comes. */
  append(arrays: Arrays, buffer: ArrayBuffer, start: number, transient: boolean): void {
    if (this.lengths) for (const [name, column] of this.columns) column.length = this.lengths.get(name) ?? column.length;
    this.lengths = undefined;
    if (transient) this.lengths = new Map();
    const n = arrays.contact_time?.[2] ?? 0;
    for (const [name, [type, offset, count]] of Object.entries(arrays)) {
      const more = new kTypes[type](buffer, start + offset, count);
      // Rows before the first contact have none: their offsets are zeros.
      const n_before = name === 'contact_offset' ? (this.get('contact_time')?.length ?? n) - n + 1 : 0;
      const column = this.columns.get(name) ?? new Column(super.get(name) ?? new kTypes[type](n_before));
      this.columns.set(name, column);
      if (name === 'contact_offset') {
        const before = column.get()[column.length - 1];
        column.push((more as Uint32Array).subarray(1).map((k) => k + before));
        this.lengths?.set(name, column.length - 1);
        continue;
      }
      // Of a ragged array the last frame's part is what its offsets say.
      const offsets = arrays.contact_offset && new Uint32Array(buffer, start + arrays.contact_offset[1], n + 1);
      const ragged = /^contact_(?!time)/.test(name) && offsets !== undefined && offsets[n] > 0;
      const own = ragged ? (count / offsets[n]) * (offsets[n] - offsets[n - 1]) : count / n;
      this.lengths?.set(name, column.length + count - own);
      column.push(more);
    }
    this.frame_time = this.get('frame_time') ?? this.frame_time;
  }
}

/** Shows what the server has, as long as the page is open. */
export async function view_live(open: (results: Result[]) => GrowingPage): Promise<void> {
  const viewer = Array.from(crypto.getRandomValues(new Uint8Array(8)), (x) => x.toString(16).padStart(2, '0')).join('');
  let page: GrowingPage | undefined;
  const controls = new Controls(unpack, (poses) => page?.show_pose(poses));
  let result: LiveResult | undefined;
  let state: Pick<LiveState, 'version' | 'last' | 'revision'> = {version: 0, last: 0, revision: 0};
  let drawn_at = 0, took = 0, lagging = false;  // [ms]; the plots lack what came last

  const begin = async (phase: LiveState['phase']) => {
    const buffer = await (await fetch('data')).arrayBuffer(), {header, start} = unpack(buffer);
    result = new LiveResult(header as Header, buffer, start);
    if (phase === 'running') result.header.outcome = kRunning;
    if (phase === 'ended' && result.header.outcome === 'running') result.header.outcome = kCut;
    const goes_on = phase === 'running' || phase === 'growing' || result.header.outcome === kCut;  // its rows come yet
    const first = page === undefined;
    page ??= open([result]);
    if (first && goes_on) page.following = true;
    page.reload([result], goes_on);
    page.let_push(controls.pusher(), controls.drag_pushes());
    return (header as {data_version: number}).data_version;
  };

  for (;;) {
    try {
      const answer = await fetch(`next?version=${state.version}&after=${state.last}&revision=${state.revision}&viewer=${viewer}`);
      if (!answer.ok) throw new Error(`${answer.status}`);
      const buffer = await answer.arrayBuffer(), {header, start} = unpack(buffer);
      const told = header as LiveState & {arrays: Arrays};
      controls.show(told);
      page?.let_push(controls.pusher(), controls.drag_pushes());
      if (told.version !== state.version) {
        state = {version: await begin(told.phase), last: 0, revision: told.revision};
        continue;
      }
      state = told;
      if (!page || !result) continue;
      if (told.certificate) result.header.certificate = told.certificate;
      const n_arrays = Object.keys(told.arrays).length;
      if (n_arrays > 0) result.append(told.arrays, buffer, start, told.transient);
      if (told.phase === 'ended' && result.header.outcome === kRunning && !told.more) {
        // The run could not be written to its end: there is no result in place of what came.
        result.header.outcome = kCut;
        page.reload([result], false);
        continue;
      }
      if (told.more || (n_arrays === 0 && !lagging)) continue;
      const now = performance.now();
      lagging = n_arrays > 0 && !told.paused && now - drawn_at <= Math.max(kPlotsInterval, kPlotsShare * took);
      page.extend(!lagging);
      if (lagging) continue;
      drawn_at = performance.now();
      took = drawn_at - now;
    } catch (error) {
      console.info(error);
      controls.lose();
      await new Promise((done) => setTimeout(done, kRetry));
    }
  }
}
