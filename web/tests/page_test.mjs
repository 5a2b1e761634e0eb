// SPDX-License-Identifier: BSD-3-Clause
// The page of `stickslip report` in a browser: node web/tests/page_test.mjs PROGRAM FOLDER. Every check is a line; the
// status tells whether all held.
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {start_browser} from './browser.mjs';
import {check_layout, count_colors, open_page} from './pages.mjs';

const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
const scenes = new URL('../../scenes/', import.meta.url).pathname;
mkdirSync(folder, {recursive: true});

let failures = 0;
function check(what, holds, found = '') {
  if (!holds) ++failures;
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : `: ${JSON.stringify(found)}`}`);
}

function run(scene, name, ...options) {
  execFileSync(program, ['run', scene, '-o', `${folder}/${name}.h5`, '--force', '--quiet', ...options]);
}

/** Ends a run by a signal once there are steps on disk. */
async function end_a_run(name, signal) {
  const result = `${folder}/${name}.h5`;
  rmSync(result, {force: true});
  const child = spawn(program, ['run', `${scenes}box_incline_20.toml`, '-o', result, '--quiet', '--end', '1e5'], {stdio: 'inherit'});
  const ended = new Promise((done) => child.on('exit', done));
  const steps = () => Number(/^steps +(\d+)/m.exec(spawnSync(program, ['info', result], {encoding: 'utf8'}).stdout)?.[1] ?? 0);
  while (child.exitCode === null && child.signalCode === null && steps() < 10) await new Promise((done) => setTimeout(done, 20));
  child.kill(signal);
  await ended;
}

function report(name, ...results) {
  execFileSync(program, ['report', ...results.map((r) => `${folder}/${r}.h5`), '-o', `${folder}/${name}.html`, '--force', '--quiet']);
  return `${folder}/${name}.html`;
}

const kNames = {name: '</script><script>alert(1)</script>', body: '<img src=x onerror=alert(2)>'};
writeFileSync(`${folder}/names.toml`, `stickslip = 1
name = "${kNames.name}"
time = {end = 0.1, step = 1e-3}
scheme = {type = "moreau"}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies."${kNames.body}"]
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0.5]
shapes.ball = {type = "sphere", radius = 0.5}
[[contacts]]
name = "touch<b>"
between = ["floor", "${kNames.body}"]
friction = 0.3
`);
writeFileSync(`${folder}/pile.toml`, `stickslip = 1
name = "pile"
time = {end = 0.04, step = 0.01}
scheme = {type = "ccp"}
limits = {energy = 0.5}
contact_default = {friction = 0.3, envelope = 0.01}
[[fill]]
body = {density = 1000, shapes.ball = {type = "sphere"}}
pile = {count = 1000}
`);

writeFileSync(`${folder}/stops.toml`, `stickslip = 1
name = "stops"
time = {end = 0.1, step = 1e-3}
scheme = {type = "moreau"}
[bodies.base]
type = "fixed"
shapes.wall = {type = "box", size = [0.2, 4]}
[bodies.rod]
type = "planar"
mass = 1
inertia = 1
position = [1, 0]
shapes.hull = {type = "box", size = [1.5, 0.3]}
[bodies.slide]
type = "planar"
mass = 1
inertia = 1
position = [0, 3]
shapes.hull = {type = "sphere", radius = 0.5}
[joints.hinge]
type = "revolute"
between = ["base", "rod"]
at = [0, 0]
limits = [-0.1, 0.1]
[joints.rail]
type = "prismatic"
between = ["base", "slide"]
at = [0, 3]
axis = [0, 1]
limits = [-0.1, 0.1]
`);

// A robot's arm: a tree, a shape that is drawn only, joints that turn and slide. Its name is a text in the list, too.
writeFileSync(`${folder}/arm.toml`, `stickslip = 1
name = "arm"
time = {end = 0.2, step = 1e-3}
scheme = {type = "moreau"}
gravity = [0, 0, 0]
[bodies.base]
type = "fixed"
shapes.foot = {type = "box", size = [0.2, 0.2, 0.1]}
[bodies."${kNames.body}"]
mass = 1
inertia = [0.1, 0.1, 0.1]
parent = "base"
position = [0, 0, 0.5]
shapes.hull = {type = "sphere", radius = 0.3}
shapes.look = {type = "cylinder", radius = 0.05, length = 1, visual = true}
[bodies.hand]
mass = 1
inertia = [0.1, 0.1, 0.1]
parent = "${kNames.body}"
position = [0, 0, 0.5]
shapes.ball = {type = "sphere", radius = 0.1}
[joints.elbow]
type = "prismatic"
between = ["${kNames.body}", "hand"]
axis = [0, 0, 1]
start = 0.25
[joints."<b>shoulder"]
type = "revolute"
between = ["base", "${kNames.body}"]
at = [0, 0, 0]
axis = [0, 1, 0]
start = 0.5
start_rate = 1
`);

const small = readFileSync(`${folder}/pile.toml`, 'utf8').replace('count = 1000', 'count = 60');
writeFileSync(`${folder}/small.toml`, small);

run(`${scenes}box_incline_20.toml`, 'box', '--csv', `${folder}/box.csv`);
run(`${scenes}box_incline_20.toml`, 'box_ccp', '--scheme', 'ccp');
run(`${scenes}card_house.toml`, 'cards', '--end', '0.2');
run(`${scenes}papers/capobianco/tippe_top.toml`, 'top');
run(`${folder}/names.toml`, 'names');
run(`${folder}/stops.toml`, 'stops');
run(`${folder}/arm.toml`, 'arm');
run(`${folder}/pile.toml`, 'pile', '--set', 'solver.tolerance=1e-4');
run(`${folder}/small.toml`, 'small', '--set', 'solver.tolerance=1e-4');
run(`${scenes}chain_beams.toml`, 'beams', '--end', '0.1');
// As by Ctrl-C, long before its end, and as by a power cut: no end, and rows that were torn.
await end_a_run('broken', 'SIGINT');
await end_a_run('killed', 'SIGKILL');
copyFileSync(`${folder}/box.h5`, `${folder}/damaged.h5`);
truncateSync(`${folder}/damaged.h5`, Math.floor(statSync(`${folder}/damaged.h5`).size / 2));
rmSync(`${folder}/damaged.html`, {force: true});
const refusal = spawnSync(program, ['report', `${folder}/damaged.h5`, '-o', `${folder}/damaged.html`, '--quiet'], {encoding: 'utf8'});
check('a damaged result is refused by name, and leaves no page', refusal.status === 2 && refusal.stderr.includes('damaged.h5') && !existsSync(`${folder}/damaged.html`), refusal);
const pages = {
  box: report('box', 'box'), both: report('both', 'box', 'box_ccp'), cards: report('cards', 'cards'),
  names: report('names', 'names'), stops: report('stops', 'stops'), arm: report('arm', 'arm'), pile: report('pile', 'pile'), small: report('small', 'small'), beams: report('beams', 'beams'), broken: report('broken', 'broken'), killed: report('killed', 'killed'), top: report('top', 'top'),
};

check('the page of the tippe top is below 5 MB', statSync(pages.top).size < 5e6, statSync(pages.top).size);

const browser = await start_browser();

const open = (...how) => open_page(browser, ...how);

for (const [name, path] of Object.entries(pages)) {
  const page = await open(path);
  const [colors, share] = await count_colors(page);
  check(`${name}: something is drawn`, colors > 8 && share < 0.97, [colors, share]);
  await check_layout(check, page, `${name}, 1280 pixels`);
  check(`${name}: no error, no request`, page.faults.length === 0, page.faults);
  await page.close();
}
for (const name of ['both', 'cards']) {
  const page = await open(pages[name], 390, 800, 'dark');
  await check_layout(check, page, `${name}, 390 pixels`);
  await page.close();
}

{
  const page = await open(pages.stops);
  const plots = await page.evaluate(() => window.stickslip.panels.map((panel) => {
    panel.build();
    return `${panel.element.querySelector('h2 span').textContent}: ${panel.to_csv().split('\n')[0]}`;
  }));
  check('gaps to limits of lengths are in m', plots.includes('Gap [m]: "time [s]","gap rail-limits/0","gap rail-limits/1"'), plots);
  check('those of angles are in rad, in a plot of their own',
        plots.includes('Angle to the limit [rad]: "time [s]","gap hinge-limits/0","gap hinge-limits/1"'), plots);
  check('and their forces are torques', plots.some((plot) => plot.startsWith('Contact force and its bound [N m]: "time [s]","normal force hinge-limits/0"')), plots);
  await page.close();
}

{
  const page = await open(pages.box);
  // The numbers of the file, by the program's own text output.
  const lines = readFileSync(`${folder}/box.csv`, 'utf8').trim().split('\n').filter((line) => !line.startsWith('#'));
  const head = lines[0].split(','), rows = lines.slice(1).map((line) => line.split(',').map(Number));
  const row = rows[Math.floor(rows.length / 3)];
  const plotted = await page.evaluate((t) => {
    window.stickslip.set_time(t);
    return Object.assign({}, ...window.stickslip.panels.map((panel) => panel.values_at(t)));
  }, row[0]);
  const q = head.findIndex((name) => name.trim().startsWith('q1'));
  const x = Object.entries(plotted).find(([label]) => label.startsWith('x '))?.[1];
  check('plotted values are those of the file', q > 0 && x === row[q], [x, row[q], head.slice(0, 4), plotted]);

  await page.keyboard.press('Home');
  const time = () => page.evaluate(() => window.stickslip.time);
  check('Home goes to the start', await time() === rows[0][0], await time());
  await page.keyboard.press('ArrowRight');
  check('Right goes one frame on', await time() === rows[1][0], [await time(), rows[1][0]]);
  await page.keyboard.press('ArrowLeft');
  check('Left goes back', await time() === rows[0][0], await time());
  await page.keyboard.press('End');
  check('End goes to the end', await time() === rows.at(-1)[0], await time());
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.stickslip.time > 0);
  check('Space plays', await page.evaluate(() => window.stickslip.playing));
  await page.keyboard.press(' ');
  check('Space stops', !await page.evaluate(() => window.stickslip.playing));
  await page.keyboard.press('?');
  check('? lists the keys', await page.locator('#help').isVisible());
  await page.keyboard.press('Escape');

  const series = () => page.locator('.panel').first().locator('.u-series').count();
  const before = await series();
  const select = page.locator('.panel').first().locator('select');
  await select.selectOption('/steps/energy_error');
  check('a signal is switched on', await series() === before + 1, [before, await series()]);
  await select.selectOption('/steps/energy_error');
  check('and off', await series() === before, await series());
  const panels = await page.locator('.panel').count();
  await page.locator('#add-plot').selectOption('/steps/iterations');
  check('a plot is added', await page.locator('.panel').count() === panels + 1);
  const looks = await page.evaluate(() => {
    const {panels, results} = window.stickslip, panel = panels.at(-1);
    panel.ids.splice(0, panel.ids.length, ...results[0].header.steps.map(([name]) => `/steps/${name}`).filter((id) => !/time|worst/.test(id)));
    panel.build();
    return [...panel.element.querySelectorAll('.u-marker line')].map((line) => `${line.getAttribute('stroke')} ${line.getAttribute('stroke-dasharray')}`);
  });
  check('more curves than colours: no two look the same', looks.length > 8 && new Set(looks).size === looks.length, looks);
  const csv = await page.evaluate(() => window.stickslip.panels[0].to_csv());
  check('a plot as CSV has its rows', csv.split('\n').length > rows.length && csv.startsWith('"time [s]"'), csv.slice(0, 200));
  await page.locator('#scrubber').fill('500000');
  const middle = (rows[0][0] + rows.at(-1)[0]) / 2;
  check('the scrubber goes where it is put', Math.abs(await time() - middle) < 1e-9, [await time(), middle]);
  check('the certificate is one sentence', /^All \d+ steps were solved to the tolerance: .*every limit held\.$/.test(await page.locator('.certificate').innerText()),
        await page.locator('.certificate').innerText());
  const broken = await open(pages.broken);
  const said = await broken.locator('.certificate.bad').innerText();
  check('an interrupted run is said to be one', /^Interrupted: all \d+ steps so far were solved to the tolerance/.test(said), said);
  await broken.close();
  const killed = await open(pages.killed);
  const told = await killed.locator('.certificate.bad').innerText();
  check('a killed run is said not to be finished, with its steps', /^Not finished .*: all [1-9]\d+ steps so far were solved/.test(told), told);
  const drawn = await killed.evaluate(() => {
    document.documentElement.classList.add('dark');
    dispatchEvent(new Event('beforeprint'));
    const copy = document.getElementById('print'), data = copy.getContext('2d').getImageData(0, 0, copy.width, copy.height).data;
    const colors = new Set();
    for (let i = 0; i < data.length; i += 28) colors.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    const light = !document.documentElement.classList.contains('dark');
    dispatchEvent(new Event('afterprint'));
    return {light, colors: colors.size, dark: document.documentElement.classList.contains('dark'), gone: !document.getElementById('print')};
  });
  check('what is printed is light, with the picture; after it all is as before', drawn.light && drawn.colors > 8 && drawn.dark && drawn.gone, drawn);
  await killed.close();
  const outside = await page.evaluate(() => fetch('https://example.org/').then(() => 'fetched', () => 'refused'));
  check('nothing is fetched', outside === 'refused', outside);
  const evaluated = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = 1';
    document.body.append(script);
    return window.injected;
  });
  check('no other program runs', evaluated === undefined, evaluated);
  await page.close();
}

{
  const page = await open(pages.both);
  const labels = await page.locator('.panel').first().locator('.u-series .u-label').allInnerTexts();
  check('two results overlay with a legend', labels.some((l) => l.includes('moreau')) && labels.some((l) => l.includes('ccp')), labels);
  await page.locator('#which').selectOption('1');
  const [colors] = await count_colors(page);
  check('the other result is drawn', colors > 8, colors);
  check('overlay: no error', page.faults.length === 0, page.faults);
  await page.close();
}

{
  const page = await open(pages.names);
  const canvas = await page.locator('#canvas').boundingBox();
  await page.mouse.click(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
  const text = await page.locator('#picked').innerText();
  check('a click picks the body, its name is text', text.startsWith(kNames.body), text);
  check('the title is text', await page.locator('#title').innerText() === kNames.name, await page.locator('#title').innerText());
  check('names make no elements', await page.evaluate(() => document.querySelectorAll('img').length === 0 && document.querySelectorAll('script').length === 3));
  check('names: no dialog, no error', page.faults.length === 0, page.faults);
  await page.close();
}

{
  const page = await open(pages.arm);
  const hidden = await page.evaluate(() => document.getElementById('tree').childElementCount);
  check('a closed list is not made', hidden === 0, hidden);
  await page.locator('#tree-panel summary').click();
  await page.locator('#tree > ul').waitFor({state: 'attached'});
  const nested = await page.evaluate(() => {
    const name = (item) => item.querySelector('button').textContent;
    const tree = (list) => [...list.children].map((item) => [name(item), ...[...item.children].filter((c) => c.tagName === 'UL').map(tree)]);
    return tree(document.querySelector('#tree > ul'));
  });
  check('bodies stand in a tree', JSON.stringify(nested) === JSON.stringify([['base', [[kNames.body, [['hand']]]]]]), nested);
  check('names in it are text', await page.evaluate(() => document.querySelectorAll('#tree b, #tree img').length === 0));
  const says = () => page.locator('#tree output').allInnerTexts();
  check('joints stand at the bodies that hang by them', (await page.locator('#tree .joint span').allInnerTexts()).join().startsWith('<b>shoulder (revolute),elbow (prismatic)'));
  await page.evaluate(() => window.stickslip.set_time(0));
  check('coordinates are those of the start', (await says()).join().startsWith('28.65 deg, 57.3 deg/s,0.25 m, 0 m/s'), await says());
  await page.evaluate(() => window.stickslip.set_time(0.1));
  const later = Number((await says())[0].split(' ')[0]) * Math.PI / 180;
  const stored = await page.evaluate(() => window.stickslip.results[0].get('/joints/coordinate')[100 * 6 + 3]);
  check('and follow the time', Math.abs(later - stored) < 1e-4 && Math.abs(later - 0.6) < 0.05, [later, stored]);
  await page.locator('#tree-panel select').selectOption('rad');
  check('in radians', (await says())[0].includes(' rad, '), await says());
  await page.locator('#tree button').nth(2).click();
  check('a click there picks the body', (await page.locator('#picked').innerText()).startsWith('hand') && await page.locator('#tree button').nth(2).getAttribute('aria-pressed') === 'true');
  const hides = () => page.evaluate(() => {
    const {bodies} = window.stickslip.replay;
    return [...bodies.kinds.values()].flatMap((kind) => kind.parts.filter((part) => bodies.is_hidden(part)).map((part) => part.visual));
  });
  check('a body is drawn as it looks', JSON.stringify(await hides()) === '[false]', await hides());
  await page.locator('#show-solids').check();
  check('or as it collides', JSON.stringify(await hides()) === '[true]', await hides());
  check('the arm: no error', page.faults.length === 0, page.faults);
  await check_layout(check, page, 'the arm with its tree, 1280 pixels');
  await page.close();
  const narrow = await open(pages.arm, 390, 800, 'dark');
  await narrow.locator('#tree-panel summary').click();
  await check_layout(check, narrow, 'the arm with its tree, 390 pixels, dark');
  await narrow.close();
}

{
  const page = await open(pages.pile);
  const [calls, took] = await page.evaluate(() => {
    const start = performance.now();
    for (let i = 0; i < 20; ++i) window.stickslip.replay.set_time(0.002 * i);
    return [window.stickslip.replay.calls(), (performance.now() - start) / 20];
  });
  console.log(`       pile of 1000: ${took.toFixed(2)} ms of script a frame, ${calls} draw calls`);
  check('a thousand bodies take few draw calls', calls < 40, calls);
  const canvas = await page.locator('#canvas').boundingBox();
  await page.mouse.click(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
  const name = await page.locator('#picked').innerText();
  check('one looks, and picks, through the walls around them', /^fill\d+ \(rigid\)/.test(name), name);
  await page.close();
  const few = await open(pages.small);
  const walls = await few.evaluate(() => window.stickslip.replay.bodies.walls.size);
  check('and around a few', walls === 5, walls);
  await few.close();
}

{
  const page = await open(pages.beams);
  const thickness = await page.evaluate(() => {
    const {band} = window.stickslip.replay.bodies.curves[0], at = band.geometry.getAttribute('position');
    const edge = (i) => window.stickslip.replay.controls.target.clone().fromArray(at.array, 3 * i).project(window.stickslip.replay.camera);
    const [a, b] = [edge(0), edge(1)], {clientWidth, clientHeight} = window.stickslip.replay.canvas;
    return Math.hypot((a.x - b.x) * clientWidth / 2, (a.y - b.y) * clientHeight / 2);
  });
  check('a beam is as thick as one sees', thickness > 2.5 && thickness < 12, thickness);
  await page.close();
}

await browser.close();
console.log(failures === 0 ? 'page: all checks held' : `page: ${failures} checks FAILED`);
process.exit(failures === 0 ? 0 : 1);
