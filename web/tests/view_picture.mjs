// SPDX-License-Identifier: BSD-3-Clause
// A picture of `stickslip view` while a scene runs: node web/tests/view_picture.mjs PROGRAM SCENE RESULT TIME OUT. The run is paused
// once it has reached that time [s].
import {spawn} from 'node:child_process';
import {start_browser} from './browser.mjs';

const [program, scene, result, time, out] = process.argv.slice(2);
const child = spawn(program, ['view', scene, '-o', result, '--force', '--quiet'], {stdio: ['ignore', 'pipe', 'inherit']});
const address = await new Promise((done) => child.stdout.once('data', (text) => done(String(text).trim())));
const command = (path) => fetch(`${address}${path}`, {method: 'POST'});
await command('pause');  // until the browser is there
const browser = await start_browser();
try {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}});
  await page.goto(`${address}#light`);
  await page.waitForFunction(() => document.getElementById('live-state').textContent.startsWith('Paused'), null, {timeout: 60000});
  await command('resume');
  await page.waitForFunction((t) => window.stickslip?.time >= t, Number(time), {timeout: 60000, polling: 20});
  await command('pause');
  await page.waitForFunction(() => document.getElementById('live-state').textContent.startsWith('Paused'));
  await page.waitForTimeout(1000);
  await page.screenshot({path: out});
  console.log(out);
} finally {
  await browser.close();
  child.kill('SIGINT');
}
