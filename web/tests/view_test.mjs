// SPDX-License-Identifier: BSD-3-Clause
// The page of `stickslip view` in a browser: node web/tests/view_test.mjs PROGRAM FOLDER. Every check is a line; the
// status tells whether all held.
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, statSync, writeFileSync} from 'node:fs';
import {createServer, request} from 'node:http';
import {resolve} from 'node:path';
import {start_browser} from './browser.mjs';
import {find_faint} from './looks.mjs';

const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});
const kPatience = 60000;  // [ms] for what must come: the machine may be busy

let failures = 0;
function check(what, holds, found = '') {
  if (!holds) ++failures;
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : `: ${JSON.stringify(found)}`}`);
}

async function until(what, condition) {
  const end = Date.now() + kPatience;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: did not come, but ${JSON.stringify(found)}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Starts the program; its address comes first. */
const running = new Set();
const complaints = [];  // of all of them
async function view(...options) {
  const child = spawn(program, ['view', ...options, '--quiet'], {cwd: folder});
  running.add(child);
  const served = {child, out: '', err: '', status: undefined};
  child.stdout.on('data', (text) => { served.out += text; });
  child.stderr.on('data', (text) => { served.err += text; complaints.push(String(text)); });
  child.on('exit', (status) => { served.status = status; running.delete(child); });
  await until('the address', () => served.out.includes('\n') || served.status !== undefined);
  served.address = served.out.trim();
  return served;
}

/** Ends it as by Ctrl-C; gives its status and how long that took [ms]. */
async function end(served) {
  const start = Date.now();
  served.child.kill('SIGINT');
  await until('the end', () => served.status !== undefined);
  return [served.status, Date.now() - start];
}

/** A request as it is written, without a look at its path: the answer's status. */
function ask(address, path, headers = {}, method = 'GET') {
  const {hostname, port} = new URL(address);
  return new Promise((done, fail) => {
    request({hostname, port, path, method, headers}, (answer) => {
      answer.resume();
      answer.on('end', () => done(answer.statusCode));
    }).on('error', fail).end();
  });
}

const kNames = {name: '</script><script>alert(1)</script>', body: '<img src=x onerror=alert(2)>'};
function scene(file, {end = 1.5, name = 'bounce', body = 'ball', extra = ''} = {}) {
  writeFileSync(`${folder}/${file}.toml`, `stickslip = 1
name = "${name}"
time = {end = ${end}, step = 1e-3}
scheme = {type = "moreau"}
output = {every = 0.01}
limits = {penetration = 1, energy = 1e3}
parameters = {mu = 0.3, height = 0.5, twice = "=2*height"}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies."${body}"]
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0, 0, "=height"]
velocity = [0.3, 0, 0]
shapes.ball = {type = "sphere", radius = 0.1}
[[contacts]]
name = "touch"
between = ["floor", "${body}"]
friction = "=mu"
restitution = {normal = 0.8}
${extra}`);
  return `${folder}/${file}.toml`;
}

function read_csv(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n').filter((line) => !line.startsWith('#'));
  const head = lines[0].split(',').map((name) => name.trim());
  return {head, rows: lines.slice(1).map((line) => line.split(',').map(Number))};
}

const browser = await start_browser();
async function open(address, {width = 1280, height = 900, hash = 'light'} = {}) {
  const page = await browser.newPage({viewport: {width, height}});
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') page.faults.push(message.text()); });
  page.on('dialog', (dialog) => { page.faults.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(`${address}#${hash}`);
  await page.waitForFunction(() => window.stickslip?.replay?.frames > 0, null, {timeout: kPatience});
  return page;
}
/** One press of a button, however slowly the page draws. */
const press = (page, name) => page.locator('#live').getByRole('button', {name, exact: true}).dispatchEvent('click');
const said = (page) => page.locator('#live-state').innerText();
/** Times and first heights of all rows that a page has. */
const rows_of = (page) => page.evaluate(() => {
  const result = window.stickslip.results[0], t = result.get('row_time'), q = result.get('/q'), n = q.length / t.length;
  return Array.from(t, (time, i) => [time, q[i * n], q[i * n + 2]]);
});
async function wait_for(page, text) {
  await page.waitForFunction((t) => document.getElementById('live-state').textContent.includes(t), text, {timeout: kPatience, polling: 50})
      .catch(async () => { throw new Error(`'${text}' did not come, but '${await said(page)}'`); });
}

try {
  // A scene while it runs, until its end.
  {
    const toml = scene('bounce');
    execFileSync(program, ['run', toml, '-o', `${folder}/plain.h5`, '--csv', `${folder}/plain.csv`, '--quiet']);
    const {head, rows} = read_csv(`${folder}/plain.csv`);
    const z = head.indexOf('q3');
    const served = await view(toml, '-o', `${folder}/bounce.h5`);
    check('the address is local, with a token', /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/.test(served.address), served.address);
    await ask(served.address, `${new URL(served.address).pathname}pause`, {}, 'POST');  // until the browser is there
    const page = await open(served.address);
    await wait_for(page, 'Paused');
    await press(page, 'Go on');
    const live = await until('rows', async () => {
      const found = await rows_of(page);
      return found.length > 8 && found;
    });
    const by_time = new Map(rows.map((row) => [row[0], row]));
    const inside = live.filter(([t]) => by_time.has(t));
    check('while it runs, the plotted rows are those of `run`, to the last bit', inside.length >= live.length - 1 && inside.every(([t, , height]) => by_time.get(t)[z] === height), live);
    check('it runs while it is shown', live.at(-1)[0] < 1.5, live.at(-1));
    await wait_for(page, 'has ended');
    const all = await until('all rows', async () => {
      const found = await rows_of(page);
      return found.length === rows.length && found;
    });
    check('at its end, all rows of `run` are there', all.every(([t, x, height], i) => t === rows[i][0] && x === rows[i][head.indexOf('q1')] && height === rows[i][z]));
    const plotted = await page.evaluate((t) => {
      window.stickslip.set_time(t);
      return Object.assign({}, ...window.stickslip.panels.map((panel) => panel.values_at(t)));
    }, rows[50][0]);
    check('and are what is plotted', plotted['z ball'] === rows[50][z], plotted);
    check('the certificate is that of the whole run', /^All 1500 steps were solved/.test(await page.locator('.certificate').innerText()), await page.locator('.certificate').innerText());
    const outside = await page.evaluate(() => fetch('https://example.org/').then(() => 'fetched', () => 'refused'));
    check('the page asks its own server alone', outside === 'refused' && page.faults.filter((fault) => !/example\.org|Content Security/.test(fault)).length === 0, page.faults);

    // Who gets in.
    const token = new URL(served.address).pathname;
    const other = token.replace(/.\/$/, (last) => (last[0] === '0' ? '1/' : '0/'));
    check('a wrong token is refused', await ask(served.address, other) === 404 && await ask(served.address, '/') === 404);
    const outwards = ['../../../etc/passwd', '..%2f..%2fetc/passwd', 'data/../../etc/passwd', '//etc/passwd', 'bounce.h5', 'data/'];
    const answers = await Promise.all(outwards.map((path) => ask(served.address, token + path)));
    check('no other path leads anywhere', answers.every((status) => status === 404), answers);
    check('another host is refused', await ask(served.address, token, {Host: 'evil.example'}) === 403);
    const origins = ['null', 'http://127.0.0.1:1', 'http://localhost:80', 'https://example.org'];
    const refused = await Promise.all(origins.map((Origin) => ask(served.address, `${token}pause`, {Origin}, 'POST')));
    check('other origins are refused', refused.every((status) => status === 403), refused);
    const foreign = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<p>another site'));
    await new Promise((done) => foreign.listen(0, '127.0.0.1', done));
    const visitor = await browser.newPage();
    await visitor.goto(`http://127.0.0.1:${foreign.address().port}/`);
    const stolen = await visitor.evaluate((address) => fetch(`${address}data`).then((answer) => answer.status, () => 'refused'), served.address);
    check('a page of another port gets nothing', stolen === 'refused', stolen);
    await visitor.close();
    foreign.close();
    const [status] = await end(served);
    check('Ctrl-C after the end of a run: status 0', status === 0, [status, served.err]);
    await wait_for(page, 'does not answer');
    await page.close();
  }

  // Pause, steps, two viewers, a browser that is closed and opened again, parameters, stop.
  {
    const served = await view(scene('long', {end: 1e5}), '-o', `${folder}/long.h5`);
    const page = await open(served.address);
    await wait_for(page, 'Running');
    await press(page, 'Pause');
    await wait_for(page, 'Paused');
    const second = await open(served.address, {width: 390, height: 800, hash: 'dark'});
    await wait_for(second, 'Paused');
    check('another viewer sees the pause', true);
    const step = async () => Number((await said(page)).match(/step (\d+)/)[1]);
    const before = await step(), time_before = await page.evaluate(() => window.stickslip.time);
    await press(page, 'One step');
    await until('a step', async () => await step() === before + 1);
    await until('its picture', () => page.evaluate((t) => window.stickslip.time > t, time_before));
    const moved = await page.evaluate(() => window.stickslip.time) - time_before;
    check('one step is one time step, and is seen', Math.abs(moved - 1e-3) < 1e-9, moved);
    await until('the other picture', async () => Math.abs(await second.evaluate(() => window.stickslip.time) - time_before - 1e-3) < 1e-9);
    check('by both viewers', true);
    for (const [who, what] of [[page, '1280 pixels, light'], [second, '390 pixels, dark']]) {
      const {texts, faint} = await find_faint(who);
      check(`contrast of texts at least 4.5, of marks 3 (${what})`, texts > 20 && faint.length === 0, faint);
      const [wide, room] = await who.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      check(`no wider than its window (${what})`, wide <= room, [wide, room]);
    }
    await second.close();
    await press(page, 'Go on');
    await wait_for(page, 'Running');
    await page.locator('#scrubber').fill('0');
    const rested = await page.evaluate(() => window.stickslip.time);
    const n_rows = (await rows_of(page)).length;
    await page.waitForFunction((n) => window.stickslip.results[0].get('row_time').length > n, n_rows + 3, {timeout: kPatience, polling: 50})
        .catch(async () => { throw new Error(`no more rows than ${n_rows}, but '${await said(page)}', ${page.faults}`); });
    check('who goes back in time stays there', await page.evaluate(() => window.stickslip.time) === rested);
    await page.keyboard.press('End');
    await until('the newest', () => page.evaluate((t) => window.stickslip.time > t, rested + 0.1));
    check('End goes on with the run', true);
    check('live: no error', page.faults.length === 0, page.faults);
    const seen = await rows_of(page);
    await page.close();
    const again = await open(served.address);
    const caught = await until('what was missed', async () => {
      const found = await rows_of(again);
      return found.length > seen.length && found;
    });
    check('a browser that was closed has all from the start', caught[0][0] === 0 && seen.slice(0, -1).every(([t]) => caught.some((row) => row[0] === t)), [seen.length, caught.length]);

    const names = await again.locator('#parameters label span').allInnerTexts();
    check('numbers are parameters, what follows from them is none', names.join() === 'mu,height', names);
    const slider = again.locator('#parameters input[type=range]').nth(1);
    await slider.fill('0.75');
    await press(again, 'Run again');
    await until('the new run', async () => (await rows_of(again))[0][2] === 0.75);
    check('a slider runs the scene from its start with another parameter', (await rows_of(again))[0][0] === 0);
    await wait_for(again, 'Running');
    check('the text of the scene says so', (await again.locator('#scene').textContent()).includes('0.75'));
    await again.locator('#parameters input[type=number]').nth(1).fill('');
    await press(again, 'Run again');
    await until('a complaint', async () => (await again.locator('#live-message').innerText()).includes('height: a number'));
    check('what is no number is said', true);
    await press(again, 'Stop');
    await wait_for(again, 'has ended');
    const words = async () => again.locator('.certificate').innerText();  // they come with the rows of the file
    await until('the headline of a stopped run', async () => (await words()).startsWith('Interrupted'));
    check('a stopped run is said to be interrupted', (await words()).startsWith('Interrupted'), await words());
    const info = execFileSync(program, ['info', `${folder}/long.h5`], {encoding: 'utf8'});
    check('and its result says so', info.includes('interrupted'), info);
    check('again: no error', again.faults.length === 0, again.faults);
    const [status] = await end(served);
    check('Ctrl-C after a stop: status 0', status === 0, status);
    await again.close();
  }

  // The start pose of an arm: sliders, the program's kinematics, text, a run from there.
  {
    const arm = `stickslip = 1
name = "arm"
time = {end = 1e5, step = 1e-3}
scheme = {type = "moreau"}
gravity = [0, 0, 0]
output = {every = 0.01}
parameters = {reach = 1}
[bodies.base]
type = "fixed"
[bodies.arm]
mass = 1
inertia = [1, 1, 1]
parent = "base"
position = ["=reach", 0, 0]
shapes.ball = {type = "sphere", radius = 0.2}
[bodies.hand]
mass = 1
inertia = [1, 1, 1]
parent = "arm"
position = [1, 0, 0]
shapes.ball = {type = "sphere", radius = 0.2}
[joints."<i>hinge"]
type = "revolute"
between = ["base", "arm"]
at = [0, 0, 0]
axis = [0, 0, 1]
limits = [-2.0943951023931953, 2]
[joints.slide]
type = "prismatic"
between = ["arm", "hand"]
axis = [1, 0, 0]
`;
    writeFileSync(`${folder}/arm.toml`, arm);
    const served = await view(`${folder}/arm.toml`, '-o', `${folder}/arm.h5`, '--paused');
    const page = await open(served.address);
    await wait_for(page, 'Paused at t = 0 s');
    check('with --paused no step is made', (await said(page)).includes('step 0'), await said(page));
    await page.locator('#live').getByText('Start pose').click();
    await until('sliders', async () => await page.locator('#start-pose input[type=range]').count() === 2);
    check('each coordinate has a slider, its name is text', (await page.locator('#start-pose label span').allInnerTexts()).join() === '<i>hinge [rad],slide [m]');
    const move = (k, value) => page.locator('#start-pose input[type=range]').nth(k).evaluate((slider, x) => {
      slider.value = String(x);
      slider.dispatchEvent(new Event('input'));
    }, value);
    const number = (k) => page.locator('#start-pose input[type=number]').nth(k).inputValue();
    const at = (body) => page.evaluate((b) => Array.from(window.stickslip.replay.pose(b).slice(0, 3)), body);
    const near = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < 1e-9;
    await move(0, 99);  // as far as it goes: the limit
    await move(1, 0.5);
    const slid = Number(await number(1));
    const there = [(2 + slid) * Math.cos(2), (2 + slid) * Math.sin(2), 0];
    await until('the pose', async () => near(await at(2), there));
    check('a slider stops at the limit, and the program says where bodies are', await number(0) === '2', await number(0));
    await move(0, -99);
    check('the lower limit is not rounded to beyond it', Number(await number(0)) === -2.0943951023931953, await number(0));
    await move(0, 0.5);
    const turned = Number(await number(0));
    await until('the text', async () => (await page.locator('#start-toml').inputValue()) === `[joints."<i>hinge"]\nstart = ${turned}\n\n[joints.slide]\nstart = ${slid}\n`);
    check('the starts are given back as TOML', true);
    const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    check('sliders: no wider than the window', wide <= room, [wide, room]);
    const {texts, faint} = await find_faint(page);
    check('sliders: contrast of texts at least 4.5, of marks 3', texts > 20 && faint.length === 0, faint);
    await press(page, 'Run again');
    const first = () => page.evaluate(() => Array.from(window.stickslip.results[0].get('/joints/coordinate').slice(0, 4)));
    await until('the run from there', async () => Math.abs((await first())[0] - turned) < 1e-12);
    check('Run again begins there', Math.abs((await first())[3] - slid) < 1e-12, await first());
    check('and shows the run', !(await page.locator('#live details', {hasText: 'Start pose'}).evaluate((element) => element.open)));
    check('the scene as it was run has the starts', (await page.locator('#scene').textContent()).includes(`start = ${turned}`));
    const bad = await page.evaluate(() => Promise.all(['joint 0=3', 'joint 7=1', 'joint 0=1 2', 'joint', 'x=1', '\0=1'].map(
        (body) => fetch('pose', {method: 'POST', body}).then((answer) => answer.status))));
    check('what is no pose is refused', bad.every((status) => status === 400), bad);
    const faults = page.faults.filter((fault) => !fault.includes('400 (Bad Request)'));
    check('start pose: no error', faults.length === 0, faults);
    await page.close();
    await end(served);
  }

  // A body that is dragged: the run goes on with a spring to the mouse, its work is booked, and the result can be resumed.
  {
    const toml = scene('pushed', {end: 1e5});
    execFileSync(program, ['run', toml, '-o', `${folder}/alone.h5`, '--end', '0.5', '--quiet']);
    const served = await view(toml, '-o', `${folder}/pushed.h5`);
    await ask(served.address, `${new URL(served.address).pathname}pause`, {}, 'POST');  // before the ball rolls out of the picture
    const page = await open(served.address);
    await wait_for(page, 'Paused');
    // The picture is at rest: the last row is drawn, and nothing but the mouse changes it.
    const seen = () => page.evaluate(() => {
      const {replay, results} = window.stickslip;
      return replay.on_push && [...replay.pose(1), ...replay.camera.position, results[0].get('row_time').length, replay.frames].join();
    });
    let last;
    await until('the picture at rest', async () => {
      const now = await seen(), same = now !== undefined && now === last;
      last = now;
      if (!same) await page.waitForTimeout(300);
      return same;
    });
    const box = await page.locator('#canvas').boundingBox();
    const where = await page.evaluate(() => {
      const {replay} = window.stickslip, p = replay.pose(1), at = replay.controls.target.clone().set(p[0], p[1], p[2]).project(replay.camera);
      return [(at.x + 1) / 2, (1 - at.y) / 2];
    });
    const eye = () => page.evaluate(() => window.stickslip.replay.camera.position.toArray().map((x) => x.toFixed(9)).join());
    const before = await eye(), [x, y] = [box.x + where[0] * box.width, box.y + where[1] * box.height];
    const height = async () => (await rows_of(page)).at(-1)[2];
    await page.keyboard.down('Shift');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 120, {steps: 4});
    const paused_at = Number((await said(page)).match(/step (\d+)/)[1]);
    check('a line shows the hand', await page.evaluate(() => window.stickslip.replay.hand.line.visible));
    await press(page, 'One step');
    await until('the step', async () => Number((await said(page)).match(/step (\d+)/)[1]) > paused_at);
    await wait_for(page, 'Paused');
    check('a run that is paused stays so', true);
    await press(page, 'Go on');
    const target = await page.evaluate(() => window.stickslip.replay.hand.target.toArray());
    await until('the body at the hand', () => page.evaluate(() => {
      const {hand, bodies} = window.stickslip.replay;
      return bodies.to_world(1, hand.at, hand.at.clone()).distanceTo(hand.target) < 0.06;
    }));
    const lifted = await height();
    check('above the floor', lifted > 0.15, [lifted, target]);
    check('the body follows the mouse', await page.evaluate(() => window.stickslip.replay.hand.holds()));
    check('the camera stays', await eye() === before, [before, await eye()]);
    const held = await height();
    await page.mouse.up();
    await page.keyboard.up('Shift');
    check('and is let go', !await page.evaluate(() => window.stickslip.replay.hand.holds() || window.stickslip.replay.hand.line.visible));
    await until('the fall', async () => await height() < held - 0.05);
    const bad = await page.evaluate(() => Promise.all(['1', '0 0 0 0 1 1 1', '9 0 0 0 1 1 1', '1 0 0 0 1 1 nan', '1 0 0 0 1 1 1e300', 'x', '1 0 0 0 0 0 0 0'].map(
        (body) => fetch('push', {method: 'POST', body}).then((answer) => answer.status))));
    check('what is no push is refused', bad.every((status) => status === 400), bad);
    // In the midst of another push.
    await page.locator('#drag-pushes').check();
    await until('dragging without Shift', () => page.evaluate(() => window.stickslip.replay.drag_pushes));
    await page.evaluate(() => fetch('push', {method: 'POST', body: '1 0 0 0.05 1 0 1'}));
    await press(page, 'Stop');
    await wait_for(page, 'has ended');
    const late = await page.evaluate(() => fetch('push', {method: 'POST', body: '1 0 0 0 1 1 1'}).then((answer) => answer.status));
    check('after its end a run cannot be pushed', late === 400, late);
    const faults = page.faults.filter((fault) => !fault.includes('400 (Bad Request)'));
    check('pushes: no error', faults.length === 0, faults);
    await page.close();
    const [status] = await end(served);
    check('pushes: status 0', status === 0, [status, served.err]);
    const verified = spawnSync(program, ['verify', `${folder}/pushed.h5`], {encoding: 'utf8'});
    check('verify finds momentum and energies of a pushed run in order', verified.status === 0 && verified.stdout.includes('no false claim'), verified);
    const steps = Number(/^steps +(\d+)/m.exec(execFileSync(program, ['info', `${folder}/pushed.h5`], {encoding: 'utf8'}))[1]);
    const more = spawnSync(program, ['run', toml, '-o', `${folder}/more.h5`, '--resume', `${folder}/pushed.h5`, '--end', String(steps / 1000 + 0.2), '--quiet'], {encoding: 'utf8'});
    check('it is resumed without anybody who pushes', more.status === 0, more);
    const again = spawnSync(program, ['verify', `${folder}/more.h5`], {encoding: 'utf8'});
    check('and verified again', again.status === 0, again);
  }

  // Names are text in the live page, too; Ctrl-C while it runs.
  {
    const served = await view(scene('names', {...kNames, end: 1e5}), '-o', `${folder}/names.h5`);
    const page = await open(served.address);
    await wait_for(page, 'Running');
    await page.locator('#show-names').check();
    check('the title is text', await page.locator('#title').innerText() === kNames.name, await page.locator('#title').innerText());
    check('names make no elements', await page.evaluate(() => document.querySelectorAll('img').length === 0 && document.querySelectorAll('script').length === 1));
    check('names: no dialog, no error', page.faults.length === 0, page.faults);
    const [status, took] = await end(served);
    check('Ctrl-C while it runs: status 130', status === 130, [status, served.err]);
    console.log(`       it took ${took} ms`);
    await page.close();
  }

  // As fast as it goes, with more rows than are shown.
  {
    const served = await view(scene('fast', {end: 5e3}), '-o', `${folder}/fast.h5`, '--pace', 'fast', '--set', 'output.every=1e-3');
    const page = await open(served.address);
    await wait_for(page, 'are not shown until the end');
    check('what is left out is said', true);
    await end(served);
    await page.close();
  }

  // Results: one that another program writes, and damaged ones.
  {
    const other = await view(scene('other', {end: 1e5}), '-o', `${folder}/other.h5`);  // writes 100 rows a second
    await until('the result', () => spawnSync(program, ['info', `${folder}/other.h5`]).status === 0);
    const served = await view(`${folder}/other.h5`);
    const page = await open(served.address);
    await wait_for(page, 'Not finished');
    const before = (await rows_of(page)).at(-1)[0];
    await until('more', async () => (await rows_of(page)).at(-1)[0] > before);
    check('a result that is still written grows', true);
    check('and has nothing to steer', await page.locator('#live button').first().isHidden());
    await end(other);
    await until('its end', async () => (await page.locator('.certificate').innerText()).startsWith('Interrupted'));
    check('its end is seen', await page.locator('#live').isHidden(), await said(page));
    check('growing: no error', page.faults.length === 0, page.faults);
    const [status] = await end(served);
    check('Ctrl-C at a result: status 0', status === 0, status);
    await page.close();

    copyFileSync(`${folder}/plain.h5`, `${folder}/damaged.h5`);
    const damaged = await view(`${folder}/damaged.h5`);
    const watched = await open(damaged.address);
    truncateSync(`${folder}/damaged.h5`, Math.floor(statSync(`${folder}/damaged.h5`).size / 2));
    await until('a message', async () => (await watched.locator('#live-message').innerText()).includes('cannot be read any more'));
    check('a result that is damaged while it is shown: said, and what was there stays', (await rows_of(watched)).length > 10);
    await end(damaged);
    await watched.close();
    const refusal = spawnSync(program, ['view', `${folder}/damaged.h5`], {encoding: 'utf8', timeout: 10000});
    check('a damaged result is refused with its name', refusal.status === 2 && refusal.stderr.includes('damaged.h5'), refusal);
  }
} catch (error) {
  check(error.stack, false, complaints);
} finally {
  for (const child of running) child.kill('SIGKILL');
  await browser.close();
}
console.log(failures === 0 ? 'view: all checks held' : `view: ${failures} checks FAILED`);
process.exit(failures === 0 ? 0 : 1);
