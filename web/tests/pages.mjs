// SPDX-License-Identifier: BSD-3-Clause
// Pages of `stickslip report` as tests open and judge them.
import {find_faint} from './looks.mjs';

/** Opens a page at a size, with what went wrong in it collected. */
export async function open_page(browser, path, width = 1280, height = 900, hash = 'light') {
  const page = await browser.newPage({viewport: {width, height}});
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') page.faults.push(message.text()); });
  page.on('dialog', (dialog) => { page.faults.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!request.url().startsWith(`file://${path}`) && !/^(blob|data):/.test(request.url())) page.faults.push(request.url()); });
  await page.addInitScript(() => {
    // What each canvas says: texts with their boxes, forgotten where it is cleared.
    window.texts = new Map();
    const prototype = CanvasRenderingContext2D.prototype, write = prototype.fillText, clear = prototype.clearRect;
    prototype.fillText = function(text, x, y, ...rest) {
      const m = this.getTransform(), measure = this.measureText(text), list = window.texts.get(this.canvas) ?? [];
      const left = m.a * (x - measure.actualBoundingBoxLeft) + m.e, right = m.a * (x + measure.actualBoundingBoxRight) + m.e;
      const top = m.d * (y - measure.actualBoundingBoxAscent) + m.f, bottom = m.d * (y + measure.actualBoundingBoxDescent) + m.f;
      if (String(text).trim()) list.push({text, left, right, top, bottom});
      window.texts.set(this.canvas, list);
      return write.call(this, text, x, y, ...rest);
    };
    prototype.clearRect = function(...box) {
      window.texts.set(this.canvas, []);
      return clear.apply(this, box);
    };
  });
  await page.goto(`file://${path}#${hash}`);
  await page.waitForFunction(() => window.stickslip?.replay?.frames > 0);
  return page;
}

/** How many colours the picture has, and the share of its commonest. */
export function count_colors(page) {
  return page.evaluate(async () => {
    const image = await createImageBitmap(await window.stickslip.replay.to_blob());
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const data = context.getImageData(0, 0, image.width, image.height).data, counts = new Map();
    for (let i = 0; i < data.length; i += 4 * 7) {
      const color = (data[i] >> 3 << 10) | (data[i + 1] >> 3 << 5) | data[i + 2] >> 3;
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    return [counts.size, Math.max(...counts.values()) / (data.length / 28)];
  });
}

/** That a page is no wider than its window, its labels do not overlap, and nothing is faint: by check(what, holds, found). */
export async function check_layout(check, page, what) {
  const found = await page.evaluate(() => {
    const overlaps = [];
    for (const [canvas, texts] of window.texts) {
      if (!canvas.isConnected) continue;
      for (let i = 0; i < texts.length; ++i) {
        for (let j = 0; j < i; ++j) {
          const a = texts[i], b = texts[j];
          if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) overlaps.push([a.text, b.text]);
        }
      }
    }
    const {scrollWidth, clientWidth} = document.documentElement;
    return {overlaps, scrollWidth, clientWidth, texts: [...window.texts.values()].reduce((n, list) => n + list.length, 0)};
  });
  check(`${what}: no wider than its window`, found.scrollWidth <= found.clientWidth, found);
  check(`${what}: labels do not overlap`, found.texts > 10 && found.overlaps.length === 0, found);
  const {texts, faint} = await find_faint(page);
  check(`${what}: contrast of texts at least 4.5, of marks 3`, texts > 20 && faint.length === 0, faint);
}
