import { readdirSync, readFileSync } from 'node:fs';

/** What the search of all pages finds: parts of the guides, and the operations and schemas of the reference. */

const plain = (html) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();

const SECTION = /<h([123]) id="([^"]*)">(.*?)<\/h\1>(.*?)(?=<h[123] |$)/gs;
/** render-guides.mjs gives a row an id if it begins with a constant, such as an error or a setting. */
const ROW = /<tr id="([^"]*)">(.*?)<\/tr>/gs;

/** What the platform answers with an error: its code, and the text of the message without its values. */
const MESSAGE = /'([A-Z][A-Z_]{4,})',\s*\{[^{}]*?message:\s*([`'])((?:\\.|(?!\2).)*)\2/gs;

/** Readers paste what they see: the messages in the source of the server, which the page of errors does not list. */
function messagesOfErrors() {
  const messages = {};
  const server = new URL('../../server/src/', import.meta.url);
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  for (const file of files) {
    for (const [, code, , message] of readFileSync(new URL(file, server), 'utf8').matchAll(MESSAGE)) {
      messages[code] = `${messages[code] ?? ''} ${message.replace(/\$\{.*?\}/gs, '')}`;
    }
  }
  return messages;
}

const errorMessages = messagesOfErrors();

/** Each heading with its text, and each row that explains a constant. */
export function sectionsOfGuide(name, page, content) {
  return [...content.matchAll(SECTION)].flatMap(([, level, id, heading, text]) => {
    const isPage = level === '1';
    const rows = [...text.matchAll(ROW)].map(([, row, cells]) => ({
      id: `${name}#${row}`,
      page,
      heading: row,
      text: plain(cells) + (name === 'errors' ? (errorMessages[row] ?? '') : ''),
    }));
    const own = { id: isPage ? name : `${name}#${id}`, page, heading: isPage ? '' : plain(heading) };
    return [{ ...own, text: plain(text.replace(ROW, '')) }, ...rows];
  });
}

/** From here, the reference is one level up. Scalar's ids are in lower case, except the method and the path. */
const REFERENCE = '../docs#';

export function sectionsOfReference({ tags, paths, components }) {
  const titles = new Map(tags.map((tag) => [tag.name, tag['x-displayName']]));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const call = `${method.toUpperCase()} ${path}`;
      const [tag] = operation.tags;
      return {
        id: `${REFERENCE}tag/${tag.toLowerCase()}/${method.toUpperCase()}${path}`,
        page: titles.get(tag),
        heading: operation.summary,
        text: `${operation.operationId} ${operation.description}`,
        call,
      };
    }),
  );
  const schemas = Object.entries(components.schemas).map(([name, { description = '', properties = {} }]) => ({
    id: `${REFERENCE}model/${name.toLowerCase()}`,
    page: name,
    heading: '',
    text: [description, ...Object.keys(properties)].join(' '),
    call: 'Schema',
  }));
  return [...operations, ...schemas];
}
