// SPDX-License-Identifier: BSD-3-Clause
// Makes page/*.html, each one file with its styles and its program, and page/sources.sha256, by which scripts/check_page tells
// without Node whether the pages are those of the sources: stickslip.html with the replay, tables.html without it.
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {execFileSync} from 'node:child_process';

process.chdir(new URL('.', import.meta.url).pathname);

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    .replace(/[^\x00-\x7f]/gu, (c) => `&#${c.codePointAt(0)};`);

/** The page of src/HTML with the program of src/ENTRY, its styles, and notices of the libraries in it. */
async function make_page(name, entry, html, styles, libraries) {
  const bundled = await build({
    entryPoints: [`src/${entry}`],
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
  const style = styles.map((path) => readFileSync(path, 'utf8')).join('').trim();
  const notices = libraries.map((library) => {
    const about = JSON.parse(readFileSync(`node_modules/${library}/package.json`, 'utf8'));
    return `${library} ${about.version}\n\n${readFileSync(`node_modules/${library}/LICENSE`, 'utf8').trim()}`;
  }).join('\n\n\n');
  const parts = {
    POLICY: `default-src 'none'; script-src ${hash(program)}; style-src ${hash(style)}; img-src data: blob:; ` +
        "connect-src 'none'; base-uri 'none'; form-action 'none'",
    STYLE: style,
    PROGRAM: program,
    NOTICES: escaped(notices),
  };
  const page = readFileSync(`src/${html}`, 'utf8').replace(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
  if ([...page].some((c) => c.codePointAt(0) > 127)) throw new Error(`${name}: not plain ASCII`);
  writeFileSync(`page/${name}`, page);
  console.log(`page/${name}: ${(page.length / 1000).toFixed(0)} kB`);
}

await make_page('stickslip.html', 'main.ts', 'page.html', ['node_modules/uplot/dist/uPlot.min.css', 'src/style.css', 'src/tables.css'], ['three', 'uplot']);
await make_page('tables.html', 'tables.ts', 'tables.html', ['src/style.css', 'src/tables.css'], []);
writeFileSync('page/sources.sha256', execFileSync('../scripts/check_page', ['--hash']));
