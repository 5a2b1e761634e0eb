// SPDX-License-Identifier: BSD-3-Clause
// Pictures for the documentation: node web/tests/pictures.mjs PAGES OUTPUT LIST. LIST has a line for each: the page's name, the time
// [s], azimuth and elevation [deg], zoom, width and height [pixels], and `whole` for the whole page, `replay` or `dark` for less,
// `bare` for a replay without contacts and forces, `tables` for a page without a replay, `figure` for its first figure.
import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {start_browser} from './browser.mjs';

const [pages, output, list] = process.argv.slice(2);
const browser = await start_browser();
for (const line of readFileSync(list, 'utf8').split('\n')) {
  if (!line.trim() || line.startsWith('#')) continue;
  const [name, picture, time, azimuth, elevation, zoom, width, height, mode] = line.trim().split(/\s+/);
  const page = await browser.newPage({viewport: {width: Number(width), height: Number(height)}});
  const options = {whole: 'light', dark: 'dark', replay: 'light&picture', bare: 'light&picture'}[mode] ?? 'light';
  await page.goto(`file://${resolve(pages)}/${name}.html#t=${time}&${options}`);
  if (mode === 'tables' || mode === 'figure') {
    await page.waitForFunction(() => document.querySelector('.chart svg'));
  } else {
    await page.waitForFunction(() => window.stickslip?.replay?.frames > 0);
    await page.evaluate(([a, e, z]) => window.stickslip.replay.frame(a, e, z), [azimuth, elevation, zoom].map(Number));
  }
  if (mode === 'bare') {
    await page.evaluate(() => {
      ['show-contacts', 'show-forces'].forEach((id) => document.getElementById(id).click());
      document.getElementById('key').hidden = true;
    });
  }
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  if (mode === 'figure') {
    const box = await page.locator('.figure').first().locator('.chart').first().boundingBox();
    await page.screenshot({path: `${output}/${picture}.png`, fullPage: true, clip: {x: box.x - 8, y: box.y - 8, width: box.width + 16, height: box.height + 9}});
  }
  else await page.screenshot({path: `${output}/${picture}.png`});
  console.log(`${output}/${picture}.png`);
  await page.close();
}
await browser.close();
