// SPDX-License-Identifier: BSD-3-Clause
// How long a page takes until it answers: node web/tests/load_time.mjs PAGE.html [TIMES]. Prints for each fresh browser the
// time [s] until its first picture is drawn, until a key was answered, the processor time of all its processes [s], and after
// that the script's time a frame [ms], median of 30.
import {readdirSync, readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {start_browser} from './browser.mjs';

const [path, times = '5'] = process.argv.slice(2);
const kTick = 100;  // [1/s] of /proc's times

/** Processor time of what descends from this process [s]. */
function measure_processors() {
  const parents = new Map(), used = new Map();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${id}/stat`, 'utf8'), fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
      parents.set(Number(id), fields[1]);
      used.set(Number(id), (fields[11] + fields[12]) / kTick);
    } catch {
      continue;  // it has ended
    }
  }
  const descends = (id) => id !== undefined && (id === process.pid || descends(parents.get(id)));
  return [...used].reduce((sum, [id, time]) => sum + (id !== process.pid && descends(id) ? time : 0), 0);
}

for (let i = 0; i < Number(times); ++i) {
  const browser = await start_browser();
  const page = await browser.newPage({viewport: {width: 1280, height: 900}});
  const before = measure_processors(), start = performance.now();
  const since = () => ((performance.now() - start) / 1000).toFixed(2);
  await page.goto(`file://${resolve(path)}#light`, {waitUntil: 'commit'});
  await page.waitForFunction(() => window.stickslip?.replay?.frames > 0, null, {polling: 20});
  const drawn = since();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => window.stickslip.time > window.stickslip.results[0].frame_time[0], null, {polling: 20});
  const answered = since();
  const processors = (measure_processors() - before).toFixed(2);
  const frame = await page.evaluate(() => {
    const {frame_time: times} = window.stickslip.results[0];
    const took = Array.from({length: 30}, (_, k) => {
      const begin = performance.now();
      window.stickslip.replay.set_time(times[0] + (k + 0.5) / 30 * (times[times.length - 1] - times[0]));
      return performance.now() - begin;
    });
    return took.sort((a, b) => a - b)[15];
  });
  console.log(`drawn ${drawn} s, a key answered ${answered} s, processors ${processors} s, ${frame.toFixed(2)} ms of script a frame, load ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}`);
  await browser.close();
}
