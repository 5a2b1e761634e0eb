// SPDX-License-Identifier: BSD-3-Clause
// Makes page/stickslip.html, one file with its styles and its program, and page/sources.sha256, by which scripts/check_page
// tells without Node whether the page is that of the sources.
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {execFileSync} from 'node:child_process';

process.chdir(new URL('.', import.meta.url).pathname);

const bundled = await build({
  entryPoints: ['src/main.ts'],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2021',
  legalComments: 'none',
  charset: 'ascii',
});
// A comment's begin would put HTML's reader of scripts into another state.
const program = bundled.outputFiles[0].text.replaceAll('<!--', '\\x3c!--').trim();
const style = (readFileSync('node_modules/uplot/dist/uPlot.min.css', 'utf8') + readFileSync('src/style.css', 'utf8')).trim();
const notices = ['three', 'uplot'].map((name) => {
  const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  return `${name} ${about.version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}`;
}).join('\n\n\n');

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    .replace(/[^\x00-\x7f]/gu, (c) => `&#${c.codePointAt(0)};`);
const parts = {
  POLICY: `default-src 'none'; script-src ${hash(program)}; style-src ${hash(style)}; img-src data: blob:; ` +
      "connect-src 'none'; base-uri 'none'; form-action 'none'",
  STYLE: style,
  PROGRAM: program,
  NOTICES: escaped(notices),
};
const page = readFileSync('src/page.html', 'utf8').replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
if ([...page].some((c) => c.codePointAt(0) > 127)) throw new Error('page: not plain ASCII');
writeFileSync('page/stickslip.html', page);
writeFileSync('page/sources.sha256', execFileSync('../scripts/check_page', ['--hash']));
console.log(`page/stickslip.html: ${(page.length / 1000).toFixed(0)} kB`);
