// SPDX-License-Identifier: BSD-3-Clause
// How what a page shows stands off its ground, and its curves off one another.

/** The number of texts, and what is faint: texts below a contrast of 4.5, curves and marks below 3, with what is behind them. */
export function find_faint(page) {
  return page.evaluate(() => {
    const faint = [];
    const numbers = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const light = (color) => {
      const [r, g, b] = numbers(color).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const color = getComputedStyle(at).backgroundColor, parts = numbers(color);
        if (parts.length === 3 || parts[3] === 1) return color;
      }
      return 'rgb(255, 255, 255)';
    };
    const demand = (element, color, least) => {
      const [a, b] = [light(color), light(behind(element))], contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (!(contrast >= least)) faint.push([element.tagName, element.textContent.trim().slice(0, 40), element.className.baseVal ?? element.className, color, behind(element), contrast]);
    };
    let texts = 0;
    for (const element of document.querySelectorAll('body *')) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!own || !element.checkVisibility() || element.closest('script, style, title, option, button:disabled') || element.getClientRects().length === 0) continue;
      ++texts;
      demand(element, element instanceof SVGElement ? getComputedStyle(element).fill : getComputedStyle(element).color, 4.5);
    }
    for (const mark of document.querySelectorAll('.curve, .published, .u-marker line')) demand(mark, getComputedStyle(mark).stroke, 3);
    for (const mark of document.querySelectorAll('.points, #key svg')) demand(mark, getComputedStyle(mark).fill, 3);
    for (const mark of document.querySelectorAll('.bands i')) demand(mark.parentElement, getComputedStyle(mark).backgroundColor, 3);
    return {texts, faint};
  });
}

// Machado, Oliveira and Fernandes 2009: linear sRGB as it is seen without red, green, blue cones.
const kEyes = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  'no red': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  'no green': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  'no blue': [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** The least distance of two colours ("#rrggbb") in CIELAB, for each kind of eyes. */
export function measure_palette(colors) {
  const linear = colors.map((color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16) / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const f = (t) => t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
  const lab = ([r, g, b]) => {
    const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089].map(f);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  return Object.fromEntries(Object.entries(kEyes).map(([eyes, matrix]) => {
    const seen = linear.map((c) => lab(matrix.map((row) => Math.min(Math.max(row[0] * c[0] + row[1] * c[1] + row[2] * c[2], 0), 1))));
    let least = Infinity;
    seen.forEach((a, i) => seen.slice(0, i).forEach((b) => { least = Math.min(least, Math.hypot(...a.map((v, k) => v - b[k]))); }));
    return [eyes, least];
  }));
}
