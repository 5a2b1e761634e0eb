// SPDX-License-Identifier: BSD-3-Clause
// Pages of `stickslip gallery` and `stickslip compare` in a browser: node web/tests/tables_test.mjs PROGRAM FOLDER. Every check is a
// line; the status tells whether all held.
import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync} from 'node:fs';
import {resolve} from 'node:path';
import {start_browser} from './browser.mjs';
import {find_faint, measure_palette} from './looks.mjs';

const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
const root = new URL('../../', import.meta.url).pathname;
mkdirSync(`${folder}/own/trinkle`, {recursive: true});

let failures = 0;
function check(what, holds, found = '') {
  if (!holds) ++failures;
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : `: ${JSON.stringify(found)}`}`);
}

// Studies that move, one that does not, and one with two numbers for each mark.
mkdirSync(`${folder}/own/capobianco`, {recursive: true});
for (const file of ['gallery.toml', '10_3_ball_in_cylinder.toml']) cpSync(`${root}galleries/capobianco/${file}`, `${folder}/own/capobianco/${file}`);
for (const file of ['gallery.toml', 'data', '4_1_sphere.toml', '2_rolling_to_sliding.toml', '2_joint_friction.toml']) {
  cpSync(`${root}galleries/trinkle/${file}`, `${folder}/own/trinkle/${file}`, {recursive: true});
}
const gallery = spawnSync(program, ['gallery', '-o', `${folder}/site`, '--galleries', `${folder}/own`, '--force', '--quiet']);
check('a gallery is made', gallery.status === 0, String(gallery.stderr));
const kSchemes = ['moreau', 'ccp'], kSolvers = ['auto', 'pgs', 'newton-fb', 'ipm'];  // more curves than colours
const compare = spawnSync(program, ['compare', `${root}scenes/papers/capobianco/bouncing_ball_slip.toml`, '--schemes', kSchemes.join(), '--solvers', kSolvers.join(), '--steps', '4e-3,2e-3,1e-3',
                                    '-o', `${folder}/compare.html`, '--force', '--quiet']);
check('a comparison is made', compare.status === 0, String(compare.stderr));

const browser = await start_browser();

async function open(path, width, hash) {
  const page = await browser.newPage({viewport: {width, height: 900}});
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') page.faults.push(message.text()); });
  page.on('request', (request) => { if (!request.url().startsWith(`file://${path}`) && !/^(blob|data):/.test(request.url())) page.faults.push(request.url()); });
  await page.goto(`file://${path}#${hash}`);
  await page.waitForFunction(() => document.querySelector('.chart svg, table.data'));
  return page;
}

/** Width, labels of charts, contrasts, and that no two curves of a chart look the same. */
async function check_looks(page, what) {
  const found = await page.evaluate(() => {
    const overlaps = [], same = [], doubled = [];
    for (const chart of document.querySelectorAll('.chart svg')) {
      const boxes = [...chart.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
      const places = [...chart.querySelectorAll('g .published')].map((mark) => ['d', 'x1', 'y1', 'x2', 'y2'].map((name) => mark.getAttribute(name)).join());
      doubled.push(...places.filter((place, i) => places.indexOf(place) !== i));
      boxes.forEach(([a, p], i) => boxes.slice(0, i).forEach(([b, q]) => {
        if (p.left < q.right && q.left < p.right && p.top + 2 < q.bottom && q.top + 2 < p.bottom) overlaps.push([a, b]);
      }));
    }
    for (const key of document.querySelectorAll('.chart-key')) {
      const looks = [...key.querySelectorAll('.swatch')].map((swatch) => [...swatch.children].map(
          (mark) => [mark.getAttribute('class'), mark.getAttribute('stroke-dasharray'), mark.getAttribute('d')].join()).join());
      looks.forEach((look, i) => { if (looks.indexOf(look) !== i && !look.includes('published')) same.push(look); });
    }
    const {scrollWidth, clientWidth} = document.documentElement;
    return {overlaps, same, doubled, scrollWidth, clientWidth};
  });
  const {texts, faint} = await find_faint(page);
  check(`${what}: no wider than its window`, found.scrollWidth <= found.clientWidth, found);
  check(`${what}: labels do not overlap`, texts > 10 && found.overlaps.length === 0, found.overlaps);
  check(`${what}: no two curves of a chart look the same`, found.same.length === 0, found.same);
  check(`${what}: no mark lies on another`, found.doubled.length === 0, found.doubled);
  check(`${what}: texts and marks stand out`, faint.length === 0, faint);
  check(`${what}: no error, no request`, page.faults.length === 0, page.faults);
}

const pages = {
  index: `${folder}/site/index.html`, study: `${folder}/site/trinkle/4_1_sphere.html`,
  cylinder: `${folder}/site/capobianco/10_3_ball_in_cylinder.html`, still: `${folder}/site/trinkle/2_rolling_to_sliding.html`, compare: `${folder}/compare.html`,
};
for (const [name, path] of Object.entries(pages)) {
  for (const [width, hash] of [[1280, 'light'], [390, 'dark']]) {
    const page = await open(path, width, hash);
    await check_looks(page, `${name}, ${width} pixels, ${hash}`);
    await page.close();
  }
}

{
  const page = await open(pages.study, 1280, 'light');
  await page.waitForFunction(() => window.stickslip?.replay?.frames > 0);
  const marks = await page.locator('.figure').first().locator('svg[role=img] .published').count();
  check('published values are marks in the figure', marks === 2, marks);
  const rows = await page.locator('table.numbers td.agrees, table.numbers td.differs').count();
  const numbers = await page.evaluate(() => window.stickslip.study.data.numbers.length);
  check('every number has its row', rows === numbers && rows > 20, [rows, numbers]);
  const chart = await page.locator('.figure .chart svg[role=img]').first().boundingBox();
  await page.mouse.click(chart.x + chart.width / 2, chart.y + chart.height / 2);
  const time = await page.evaluate(() => window.stickslip.time);
  check('a click in a figure goes to that time', time > 0.2 && time < 0.5, time);
  const ticks = () => page.locator('.figure .chart svg[role=img]').first().locator('text').allInnerTexts().then((texts) => texts.join(' '));
  const all_ticks = await ticks();
  const drag = async (from, to) => {
    await page.mouse.move(chart.x + from[0] * chart.width, chart.y + from[1] * chart.height);
    await page.mouse.down();
    await page.mouse.move(chart.x + to[0] * chart.width, chart.y + to[1] * chart.height, {steps: 3});
    await page.mouse.up();
  };
  await drag([0.4, 0.3], [0.6, 0.6]);
  const zoomed = await page.evaluate(() => window.stickslip.study.charts[0].chart.range);
  check('a drag in a figure zooms', await ticks() !== all_ticks && zoomed[0] > 0.1 && zoomed[1] < 0.5, [zoomed, all_ticks]);
  check('and goes to no time', await page.evaluate(() => window.stickslip.time) === time);
  await page.mouse.dblclick(chart.x + chart.width / 2, chart.y + chart.height / 2);
  check('a double click shows all', await ticks() === all_ticks, [await ticks(), all_ticks]);
  check('the figure marks the time of the replay', await page.locator('.figure .now[visibility=visible]').count() > 0);
  await page.close();
}
{
  const page = await open(pages.index, 1280, 'light');
  check('the index names the studies', await page.locator('a.card').count() === 4);
  await page.locator('a.card').filter({hasText: 'h = 0.12'}).click();
  await page.waitForFunction(() => window.stickslip?.replay?.frames > 0);
  await page.locator('nav.ways a').first().click();
  await page.waitForFunction(() => document.querySelectorAll('a.card').length === 4);
  check('its links lead to a study and back', true);
  await page.close();
}
{
  const page = await open(pages.compare, 1280, 'light');
  check('more curves than colours in a chart', await page.locator('.chart-key').first().locator('li').count() === kSchemes.length * kSolvers.length);
  for (const theme of ['light', 'dark']) {
    if (theme === 'dark') await page.locator('#theme').click();
    const colors = await page.evaluate(() => Array.from({length: 6}, (_, i) => getComputedStyle(document.documentElement).getPropertyValue(`--c${i}`).trim()));
    // 10 is told apart at a glance; curves that lie over one another want more.
    const apart = measure_palette(colors);
    check(`colours are apart for all eyes, ${theme}`, Object.values(apart).every((least) => least > 25), apart);
  }
  await page.locator('#theme').click();
  check('every run has its row', await page.locator('table.data tbody tr').count() === 3 * kSchemes.length * kSolvers.length);
  const keys = await page.locator('.chart-key').first().innerText();
  check('errors over the step have their orders', /moreau, auto: order .*ccp, auto: order/s.test(keys), keys);
  check('errors stand over steps and over costs', await page.locator('.figure').count() >= 4);
  await page.close();
}

await browser.close();
console.log(failures === 0 ? 'tables: all checks held' : `tables: ${failures} checks FAILED`);
process.exit(failures === 0 ? 0 : 1);
