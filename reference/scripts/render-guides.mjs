import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import highlight from 'highlight.js';
import { Marked } from 'marked';
import { sectionsOfGuide, sectionsOfReference } from './search-index.mjs';

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
      // The highlighter takes a flag such as --wait for the word of the shell.
      const coloured = value.replace(/(-[\w-]*)<span class="hljs-(?:built_in|keyword)">(\w+)<\/span>/g, '$1$2');
      return `<pre tabindex="0"><code class="language-${known}">${coloured}\n</code></pre>\n`;
    },
  },
});

/** In the files of docs: where `npm start` serves these pages. Here they are wherever the reader has found them. */
const LINK_TO_START = /<a href="http:\/\/127\.0\.0\.1:8787(\/docs[^"]*)">[^<]*<\/a>/g;

/** A row that begins with a constant or the name of an error: links and the search lead to it. */
const CONSTANT_ROW = /<tr>\s*<td><code>([A-Z][A-Z\d_]{3,}|[A-Z]\w+Error)<\/code><\/td>/g;

function withRowIds(html) {
  const known = new Set();
  return html.replace(CONSTANT_ROW, (row, name) => {
    if (known.has(name)) return row;
    known.add(name);
    return row.replace('<tr>', `<tr id="${name}">`);
  });
}

/** A page links to docs/other.md as other.md; it is served as other. Wide tables and code scroll, with the keyboard too. */
const render = (markdown) =>
  withRowIds(marked.parse(markdown.replace(/^<!--.*?-->\n/gms, '')))
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

/** What a page with several parts has, below its title. */
function contentsOf(content) {
  const parts = [...content.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/g)];
  if (parts.length < 3) return '';
  const items = parts.map(
    ([, id, heading]) => `<li><a href="#${id}">${heading.replace(/<\/?a\b[^>]*>/g, '')}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page">\n<div>\n<h2>On this page</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</div>\n</nav>\n`;
}

const withContents = (content) => content.replace('</h1>\n', () => `</h1>\n${contentsOf(content)}`);

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
    content: withContents(content),
    navigation: navigation(name),
    neighbours: neighbours(index),
  });
  writeFileSync(new URL(`guides/${addressOf(name)}.html`, dist), page);
  // Without the reference page, the errors are alone: there is nothing that they could link to.
  const alone = (html) =>
    html.replace(/<!--site-->.*?<!--\/site-->/gs, '').replace(/<a href="(?!https?:|#)[^>]*>(.*?)<\/a>/g, '$1');
  if (name === 'errors') writeFileSync(new URL('errors.html', dist), alone(page));
  if (name !== 'README') sections.push(...sectionsOfGuide(name, title, content));
}
sections.push(
  ...sectionsOfReference(JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url)))),
);
writeFileSync(new URL('search.json', dist), JSON.stringify(sections));
const isDrawing = (path) => !/\.\w+$/.test(path) || path.endsWith('.svg');
cpSync(new URL('images/', docs), new URL('images/', dist), { recursive: true, filter: isDrawing });
