// SPDX-License-Identifier: BSD-3-Clause
// The pages of all scenes that ship, light and dark, wide and narrow: node web/tests/scenes_test.mjs PROGRAM FOLDER. Every check is a
// line; the status tells whether all held.
import {spawnSync} from 'node:child_process';
import {mkdirSync, readdirSync} from 'node:fs';
import {basename, resolve} from 'node:path';
import {start_browser} from './browser.mjs';
import {check_layout, count_colors, open_page} from './pages.mjs';

const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
const scenes = new URL('../../scenes/', import.meta.url).pathname;
mkdirSync(folder, {recursive: true});

let failures = 0, checks = 0;
function check(what, holds, found = '') {
  ++checks;
  if (!holds) ++failures;
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : `: ${JSON.stringify(found)}`}`);
}

const browser = await start_browser();
for (const scene of readdirSync(scenes, {recursive: true}).filter((path) => path.endsWith('.toml')).sort()) {
  const result = `${folder}/${basename(scene, '.toml')}.h5`, path = result.replace(/h5$/, 'html');
  // Ten seconds are enough of any; a run that is interrupted, or passes a limit, has a page as well.
  const run = spawnSync('timeout', ['-s', 'INT', '10', program, 'run', `${scenes}${scene}`, '-o', result, '--force', '--quiet'], {encoding: 'utf8'});
  const page_of = spawnSync(program, ['report', result, '-o', path, '--force', '--quiet'], {encoding: 'utf8'});
  check(`${scene}: has a page`, page_of.status === 0, [run.status, run.stderr, page_of.stderr]);
  if (page_of.status !== 0) continue;
  for (const [look, width, height] of [['light', 1280, 900], ['dark', 1280, 900], ['light', 390, 800], ['dark', 390, 800]]) {
    const page = await open_page(browser, path, width, height, look);
    const [colors, share] = await count_colors(page);
    // A mass alone is a square of one colour, a thirtieth of the picture wide.
    check(`${scene}, ${look}, ${width} pixels: something is drawn`, colors > 2 && share < 0.9996, [colors, share]);
    await check_layout(check, page, `${scene}, ${look}, ${width} pixels`);
    check(`${scene}, ${look}, ${width} pixels: no error, no request`, page.faults.length === 0, page.faults);
    await page.close();
  }
}
await browser.close();
console.log(`${checks - failures} passed, ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
