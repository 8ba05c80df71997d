import { readFileSync, writeFileSync } from 'node:fs';
import { Marked } from 'marked';

/** Renders docs/errors.md. The SDK's docUrl links to its headings, for example #401. */
const idOf = (heading) => heading.toLowerCase().replaceAll(' ', '-');
const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
});

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const content = marked.parse(read('../../docs/errors.md'));
const page = read('../src/errors.html').replace('<!-- content -->', () => content);
writeFileSync(new URL('../dist/errors.html', import.meta.url), page);
