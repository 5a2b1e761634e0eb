// SPDX-License-Identifier: BSD-3-Clause
// The numbers of one result as the program put them into the page: named arrays behind one another, and a header.

export type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

export const kTypes = {
  f64: Float64Array, f32: Float32Array, i32: Int32Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array,
};

/** Where each named array of a page lies among its numbers: type, offset [bytes], count. */
export type Arrays = Record<string, [keyof typeof kTypes, number, number]>;

export interface Certificate {
  steps: number;
  inexact: number;
  failed: number;
  residual: number | null;
  relative: number | null;
  time: number | null;
  place: string;
  penetration: number | null;
  drift: number | null;
  energy_error: number | null;
  limits: string[];
}

export const kRunning = 'live';  // the outcome of a run that goes on while the page shows it
export const kCut = 'cut';       // of one that ended while the page showed it, without a result

export interface Header {
  arrays: Arrays;
  name: string;
  scheme: string;
  solver: string;
  version: string;
  outcome: string;
  message: string;
  file: string;
  scene: string;
  bodies: string[];
  types: string[];
  contacts: string[];
  joints: string[];
  joint_types?: string[];
  sensors: string[];
  sensor_types?: string[];
  measures: string[];
  shapes?: string[];
  shape_types?: string[];
  planar: boolean;
  gravity: [number, number, number];
  certificate: Certificate;
  steps: [string, string, string][];
  notes: string[];
}

export function from_base64(text: string): ArrayBuffer {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

export function read_array(arrays: Arrays, buffer: ArrayBuffer, name: string, start = 0): Numbers | undefined {
  const entry = Object.prototype.hasOwnProperty.call(arrays, name) ? arrays[name] : undefined;
  return entry && new kTypes[entry[0]](buffer, start + entry[1], entry[2]);
}

/** The last index whose value is at most t, 0 where there is none; values ascend. */
export function find_row(values: Numbers, t: number): number {
  let low = 0, high = values.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The index whose value is nearest to t; values ascend. */
export function find_nearest(values: Numbers, t: number): number {
  const i = find_row(values, t);
  return i + 1 < values.length && values[i + 1] - t < t - values[i] ? i + 1 : i;
}

export class Result {
  frame_time: Numbers;
  readonly n_bodies: number;
  private readonly pose = new Float64Array(7);

  /** The numbers begin `start` bytes behind the buffer's begin, a multiple of 8. */
  constructor(readonly header: Header, private readonly buffer: ArrayBuffer, private readonly start = 0) {
    this.frame_time = this.get('frame_time') ?? new Float64Array([0]);
    this.n_bodies = header.bodies.length;
  }

  get(name: string): Numbers | undefined {
    return read_array(this.header.arrays, this.buffer, name, this.start);
  }

  /** Poses of all bodies at t, x y z and w x y z each, into out (7 n_bodies): interpolated between two frames. NaN where
   *  a body takes no part. */
  poses_at(t: number, out: Float64Array): void {
    const plain = this.get('pose'), packed = this.get('poses'), range = this.get('pose_range');
    if (!plain && (!packed || !range)) {
      for (let b = 0; b < this.n_bodies; ++b) out.set([0, 0, 0, 1, 0, 0, 0], 7 * b);
      return;
    }
    const i = find_row(this.frame_time, t), j = Math.min(i + 1, this.frame_time.length - 1);
    const dt = this.frame_time[j] - this.frame_time[i];
    const share = dt > 0 ? Math.min(Math.max((t - this.frame_time[i]) / dt, 0), 1) : 0;
    for (let b = 0; b < this.n_bodies; ++b) {
      if (plain) copy_pose(plain, 7 * (i * this.n_bodies + b), out, 7 * b);
      else unpack_pose(packed!, 6 * (i * this.n_bodies + b), range!, 6 * b, out, 7 * b);
      if (share === 0) continue;
      if (plain) copy_pose(plain, 7 * (j * this.n_bodies + b), this.pose, 0);
      else unpack_pose(packed!, 6 * (j * this.n_bodies + b), range!, 6 * b, this.pose, 0);
      let dot = 0;
      for (let k = 3; k < 7; ++k) dot += out[7 * b + k] * this.pose[k];
      const sign = dot < 0 ? -1 : 1;
      for (let k = 0; k < 7; ++k) {
        out[7 * b + k] = (1 - share) * out[7 * b + k] + share * (k < 3 ? 1 : sign) * this.pose[k];
      }
      const norm = Math.hypot(out[7 * b + 3], out[7 * b + 4], out[7 * b + 5], out[7 * b + 6]);
      for (let k = 3; k < 7; ++k) out[7 * b + k] /= norm;
    }
  }
}

function copy_pose(poses: Numbers, at: number, out: Float64Array, to: number): void {
  for (let k = 0; k < 7; ++k) out[to + k] = poses[at + k];
}

/** What pack_pose (src/stickslip/report/pose_codec.h) did, undone. */
function unpack_pose(packed: Numbers, at: number, range: Numbers, r: number, out: Float64Array, to: number): void {
  for (let k = 0; k < 3; ++k) out[to + k] = range[r + k] + range[r + 3 + k] * packed[at + k] / 65535;
  if ([3, 4, 5].every((k) => (packed[at + k] & 0x7fff) === 0x7fff)) {  // no rotation has three such components
    out.fill(NaN, to, to + 7);
    return;
  }
  const largest = (packed[at + 3] >> 15) | ((packed[at + 4] >> 15) << 1);
  let rest = 1, from = at + 3;
  for (let k = 0; k < 4; ++k) {
    if (k === largest) continue;
    const e = ((packed[from++] & 0x7fff) / 32767 - 0.5) * Math.SQRT2;
    out[to + 3 + k] = e;
    rest -= e * e;
  }
  out[to + 3 + largest] = Math.sqrt(Math.max(rest, 0));
}

export function read_results(): Result[] {
  const headers = document.querySelectorAll('script.result'), numbers = document.querySelectorAll('script.numbers');
  const results: Result[] = [];
  headers.forEach((element, i) => {
    results.push(new Result(JSON.parse(element.textContent ?? '{}') as Header, from_base64(numbers[i].textContent ?? '')));
  });
  return results;
}

/** Three digits, or as many as asked: for people. */
export function show(x: number | null | undefined, digits = 3): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '-';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e5) return String(Number(x.toPrecision(digits)));
  const [mantissa, exponent] = x.toExponential(digits - 1).split('e');
  return `${Number(mantissa)}e${Number(exponent)}`;
}
