// SPDX-License-Identifier: BSD-3-Clause
// What curves look like: a colour and a dash each, or a colour and a shape of its points, so that no two of a plot share both.
// Colours are those of tables.css, --c0 to --c5, a palette for each theme: 3 : 1 at least off the ground, and apart for whoever does not see
// red, green or blue (web/tests/looks.mjs measures both).

export const kColors = 6;  // [-]
/** [px] on, off, on, ... */
export const kDashes: number[][] = [[], [9, 5], [2, 4], [12, 4, 2, 4], [5, 3], [1, 3]];
/** Of what is a bound and no value. */
export const kBoundDash = [4, 2];

export interface CurveStyle {
  color: number;  // of kColors
  dash: number;   // of kDashes, and of as many shapes of points
}

/** Of the i-th curve of a plot: the next of both, and where the colours begin again, each with another dash than before. */
export function curve_style(i: number): CurveStyle {
  return {color: i % kColors, dash: (i + Math.floor(i / kColors)) % kDashes.length};
}

/** Of a signal of several results, one over the other: a colour a signal, a dash a result, as long as there are enough of both. */
export function overlay_style(signal: number, result: number, signals: number, results: number): CurveStyle {
  return signals <= kColors && results <= kDashes.length ? {color: signal, dash: result} : curve_style(signal * results + result);
}

const kSvg = 'http://www.w3.org/2000/svg';

export function make_svg(name: string, attributes: Record<string, string | number>, parent?: Element): SVGElement {
  const element = document.createElementNS(kSvg, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent?.append(element);
  return element;
}

/** An empty picture for a key, 32 x 12 pixels. */
export function make_swatch(): SVGElement {
  return make_svg('svg', {viewBox: '0 0 32 12', class: 'swatch', 'aria-hidden': 'true'});
}
