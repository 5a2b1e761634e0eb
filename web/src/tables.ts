// SPDX-License-Identifier: BSD-3-Clause
// Pages without a replay: the index of galleries, studies that have no motion, `stickslip compare`.
import {Chart} from './chart';
import {Comparison, show_comparison} from './compare';
import {element, kOrigins, read_study, to_link} from './study';

interface Index {
  made: string;
  galleries: {name: string; source: string; table: string; studies: {page: string; title: string; source: string;
              counts: Partial<Record<keyof typeof kOrigins, [number, number]>>;
              picture: {x_label: string; curves: {x: (number | null)[]; y: (number | null)[]; style: 'line' | 'points' | 'both'}[]} | null}[]}[];
}

const root = document.documentElement;
const find = (id: string) => document.getElementById(id)!;

function read_json<T>(classes: string): T | undefined {
  const text = document.querySelector(`script.${classes}`)?.textContent;
  return text ? JSON.parse(text) as T : undefined;
}

function set_head(title: string, subtitle: string): void {
  document.title = `${title} - stickslip`;
  find('title').textContent = title;
  find('subtitle').textContent = subtitle;
}

function show_index(index: Index, holder: HTMLElement): void {
  const studies = index.galleries.reduce((n, g) => n + g.studies.length, 0);
  set_head('Published studies, run again', `${studies} studies; each figure drawn anew, each published number beside ours`);
  for (const gallery of index.galleries) {
    holder.append(element('h2', gallery.name), element('p', gallery.source));
    const cards = element('div', '', 'cards');
    for (const study of gallery.studies) {
      const card = element('a', '', 'card');
      card.href = to_link(study.page);
      card.append(element('h3', study.title));
      if (study.picture) {
        const curves = study.picture.curves.map(({x, y, style}) => ({label: '', x: x.map((v) => v ?? NaN), y: y.map((v) => v ?? NaN), style}));
        card.append(new Chart({curves, x_label: study.picture.x_label, y_label: study.title, bare: true, height: 90}).element);
      }
      const counts = Object.entries(study.counts).map(([origin, n]) => `${n![0]} of ${n![1]} ${origin}`);
      card.append(element('p', study.source), element('p', counts.length > 0 ? `Agree: ${counts.join(', ')}` : 'No numbers', 'counts'));
      cards.append(card);
    }
    const table = element('p'), link = element('a', 'All its numbers as CSV');
    link.href = to_link(gallery.table);
    table.append(link);
    holder.append(cards, table);
  }
  holder.append(element('p', index.made));
}

function set_theme(dark: boolean): void {
  root.classList.toggle('dark', dark);
  find('theme').textContent = dark ? 'Light' : 'Dark';
}

const query = new URLSearchParams(location.hash.slice(1));
set_theme(query.has('dark') || (!query.has('light') && matchMedia('(prefers-color-scheme: dark)').matches));
find('theme').addEventListener('click', () => set_theme(!root.classList.contains('dark')));
// On paper the page is light.
let was_dark = false;
addEventListener('beforeprint', () => {
  was_dark = root.classList.contains('dark');
  set_theme(false);
});
addEventListener('afterprint', () => set_theme(was_dark));

const sheet = find('sheet');
const index = read_json<Index>('index'), comparison = read_json<Comparison>('comparison'), study = read_study();
if (index) show_index(index, sheet);
if (comparison) {
  set_head(`${comparison.scene.replace(/^.*\//, '').replace(/\.toml$/, '')}: schemes side by side`, comparison.scene);
  show_comparison(comparison, sheet);
}
if (study) {
  set_head(study.data.title, study.data.source);
  study.figures.className = 'charts';
  find('subtitle').after(study.make_ways());
  sheet.append(study.figures, study.make_tables());
}
