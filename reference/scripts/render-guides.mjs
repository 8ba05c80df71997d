import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import highlight from 'highlight.js';
import { Marked } from 'marked';

/** Renders docs/*.md for /docs/<name>. Titles and order of the pages are the lists of docs/README.md. */
const docs = new URL('../../docs/', import.meta.url);
const dist = new URL('../dist/', import.meta.url);
const template = readFileSync(new URL('../src/guide.html', import.meta.url), 'utf8');
const ITEM = /^- \[(?<title>.+?)\]\((?<name>[\w-]+)\.md\)/;

/** The id that GitHub gives a heading. */
const idOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const plain = (html) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({ text, lang = '' }) {
      // After the language, a block says how it is tested.
      const [language = ''] = lang.split(' ');
      const known = highlight.getLanguage(language) ? language : 'plaintext';
      const { value } = highlight.highlight(text, { language: known });
      return `<pre tabindex="0"><code class="language-${known}">${value}\n</code></pre>\n`;
    },
  },
});

/** In the files of docs: where `npm start` serves these pages. Here they are wherever the reader has found them. */
const LINK_TO_START = /<a href="http:\/\/127\.0\.0\.1:8787(\/docs[^"]*)">[^<]*<\/a>/g;

/** A page links to docs/other.md as other.md; it is served as other. Wide tables and code scroll, with the keyboard too. */
const render = (markdown) =>
  marked
    .parse(markdown.replace(/^<!--.*?-->\n/gms, ''))
    .replace(/href="([\w-]+)\.md(#[\w-]+)?"/g, (_, name, anchor = '') => `href="${addressOf(name)}${anchor}"`)
    .replace(LINK_TO_START, (_, path) => `<a href="..${path}"><code>${path}</code></a>`)
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
const addressOf = (name) => (name === 'README' ? 'guides' : name);

const list = readFileSync(new URL('README.md', docs), 'utf8').split(/^## /m).slice(1);
const groups = list.map((group) => ({
  title: group.split('\n', 1)[0],
  pages: group.split('\n').flatMap((line) => ITEM.exec(line)?.groups ?? []),
}));
const inOrder = [{ title: 'Guides', name: 'README' }, ...groups.flatMap(({ pages }) => pages)];

const link = ({ name, title }, current) =>
  `<a href="${addressOf(name)}"${name === current ? ' aria-current="page"' : ''}>${escaped(title)}</a>`;
const navigation = (current) =>
  groups
    .map(({ title, pages }) => {
      const items = pages.map((page) => `<li>${link(page, current)}</li>`).join('\n');
      return `<h2>${escaped(title)}</h2>\n<ul>\n${items}\n</ul>`;
    })
    .join('\n');
const neighbours = (index) => {
  const [before, after] = [inOrder[index - 1], inOrder[index + 1]];
  return `${before ? `<span>← ${link(before)}</span>` : ''}${after ? `<span>${link(after)} →</span>` : ''}`;
};

const fill = (values) => template.replace(/<!-- (\w+) -->/g, (_, key) => values[key]);
const missing = '<h1>There is no such page</h1>\n<p>The address may be mistyped, or the page may have moved.</p>';
const notFound = { title: 'Not found', content: missing, navigation: navigation(), neighbours: '' };

mkdirSync(new URL('guides/', dist), { recursive: true });
writeFileSync(new URL('not-found.html', dist), fill(notFound));
const sections = [];
for (const [index, { name, title }] of inOrder.entries()) {
  const content = render(readFileSync(new URL(`${name}.md`, docs), 'utf8'));
  const page = fill({
    title: escaped(title),
    content,
    navigation: navigation(name),
    neighbours: neighbours(index),
  });
  writeFileSync(new URL(`guides/${addressOf(name)}.html`, dist), page);
  // Without the reference page, the errors are alone: there is nothing that they could link to.
  const alone = (html) =>
    html.replace(/<!--site-->.*?<!--\/site-->/gs, '').replace(/<a href="(?!https?:|#)[^>]*>(.*?)<\/a>/g, '$1');
  if (name === 'errors') writeFileSync(new URL('errors.html', dist), alone(page));
  if (name === 'README') continue;
  for (const [, level, id, heading, text] of content.matchAll(
    /<h([123]) id="([^"]*)">(.*?)<\/h\1>(.*?)(?=<h[123] |$)/gs,
  )) {
    const address = level === '1' ? name : `${name}#${id}`;
    sections.push({ id: address, page: title, heading: level === '1' ? '' : plain(heading), text: plain(text) });
  }
}
writeFileSync(new URL('search.json', dist), JSON.stringify(sections));
const isDrawing = (path) => !/\.\w+$/.test(path) || path.endsWith('.svg');
cpSync(new URL('images/', docs), new URL('images/', dist), { recursive: true, filter: isDrawing });
