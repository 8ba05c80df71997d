import MiniSearch, { type SearchOptions, type SearchResult } from 'minisearch';

/** A part of a guide, or what the reference has: its `call` is then an operation's method and path, or says "Schema". */
type Section = { id: string; page: string; heading: string; text: string; call?: string };

const SHOWN = { guides: 6, reference: 3 };

/** Without these, a pasted error message would find every page. */
const COMMON = new Set('a an and are as at be by for from has in is it of on or that the this to was with'.split(' '));

/** Beside this script, whatever the address of the page. */
const addressOf = (name: string) => new URL(name, import.meta.url).href;

async function loadIndex(): Promise<MiniSearch<Section>> {
  const response = await fetch(addressOf('search.json'));
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  const sections: Section[] = await response.json();
  const index = new MiniSearch<Section>({
    fields: ['page', 'heading', 'call', 'text'],
    storeFields: ['page', 'heading', 'call', 'text'],
    processTerm: (term) => (COMMON.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: {
      // A message of several problems repeats words, which are no more important for that.
      tokenize: (text) => [...new Set(MiniSearch.getDefault('tokenize')(text) as string[])],
      // The reader may still be writing the last word.
      prefix: (_, position, terms) => position === terms.length - 1,
      boost: { page: 4, heading: 3 },
      boostDocument: (_id, _term, stored) => weightOf(stored),
    },
  });
  index.addAll(sections);
  return index;
}

/** So many words are most often a message of the platform, with words that no page can have, such as an id. */
const MESSAGE_WORDS = 5;

/** What explains comes before what lists: both have the same words. */
const weightOf = (stored?: Record<string, unknown>) => (stored?.call ? 0.5 : 1);

/** In a message, a word that is the title of a page says nothing about the page. */
const errorsFirst = (id: string, _term: string, stored?: Record<string, unknown>) =>
  id.startsWith('errors#') ? 2 : weightOf(stored);

/** What a message says of every request that it refuses. Behind the colon are the names of this one. */
const startOf = (message: string) => /^(\S+\s+){2,}\S+?(?=:\s)/.exec(message)?.[0] ?? message;

/** Names such as NO_ADAPTER, which the index splits. */
const NAMES = /[a-z\d]+(?:_[a-z\d]+)+/gi;

/** Whether a section has every name. The reader may still be writing the last one. */
function hasNames(names: readonly string[]): SearchOptions['filter'] {
  const patterns = names.map((name) => new RegExp(`(?<![a-z\\d_])${name}`, 'i'));
  return ({ page, heading, text }) => patterns.every((pattern) => pattern.test(`${page} ${heading} ${text}`));
}

/** Sections with all words; if there are none, those with most of them. */
function find(index: MiniSearch<Section>, text: string): SearchResult[] {
  const isMessage = text.split(/\s+/).length >= MESSAGE_WORDS;
  const names = text.match(NAMES) ?? [];
  const withAll = isMessage ? [] : index.search(text, { combineWith: 'AND', filter: hasNames(names) });
  const options = isMessage ? { boostDocument: errorsFirst, boost: {} } : {};
  // Nothing is better than pages that do not have the name.
  const isFinal = withAll.length > 0 || names[0] === text;
  const found = isFinal ? withAll : index.search(isMessage ? startOf(text) : text, options);
  const shown = [
    ...found.filter(({ call }) => !call).slice(0, SHOWN.guides),
    ...found.filter(({ call }) => call).slice(0, SHOWN.reference),
  ];
  // The text of an operation begins with its name.
  const named = found.filter(({ call, text: of }) => call && of.startsWith(`${text} `));
  return [...new Set([...named, ...shown.sort((one, other) => other.score - one.score)])];
}

function itemOf({ id, page, heading, call }: SearchResult): HTMLLIElement {
  const link = document.createElement('a');
  link.href = addressOf(id);
  link.textContent = heading ? `${page}: ${heading}` : page;
  const kind = document.createElement('small');
  kind.textContent = call || 'Guide';
  const item = document.createElement('li');
  item.append(link, ' ', kind);
  return item;
}

/** The field is hidden without this script. The index is loaded when the field is used for the first time. */
function addSearch(search: HTMLElement): void {
  const [input, status, list] = ['input', 'p', 'ol'].map((name) => search.querySelector(name)) as [
    HTMLInputElement,
    HTMLElement,
    HTMLElement,
  ];
  let index: Promise<MiniSearch<Section>> | undefined;
  const answer = (text: string, items: HTMLElement[] = []) => {
    status.textContent = text;
    list.replaceChildren(...items);
  };
  const show = async () => {
    const text = input.value.trim();
    if (!text) return answer('');
    try {
      index ??= loadIndex();
      const found = find(await index, text);
      // The reader may have written more meanwhile.
      if (text !== input.value.trim()) return;
      answer(`${found.length || 'No'} result${found.length === 1 ? '' : 's'}`, found.map(itemOf));
    } catch {
      index = undefined;
      answer('The search could not be loaded: the platform does not answer.');
    }
  };
  const close = () => {
    input.value = '';
    answer('');
  };
  const move = (step: number) => {
    const stops = [input, ...list.querySelectorAll('a')];
    stops[stops.indexOf(document.activeElement as HTMLAnchorElement) + step]?.focus();
  };
  input.addEventListener('input', () => void show());
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click();
    if (event.key === 'Escape') close();
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  });
  // A link to another part of this page does not load it again.
  list.addEventListener('click', (event) => {
    if (event.target instanceof HTMLAnchorElement && !event.ctrlKey && !event.metaKey) setTimeout(close);
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    input.focus();
  });
  search.hidden = false;
}

const search = document.querySelector('search');
if (search instanceof HTMLElement) addSearch(search);
