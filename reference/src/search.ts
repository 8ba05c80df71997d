import MiniSearch, { type SearchResult } from 'minisearch';

type Section = { id: string; page: string; heading: string; text: string };

const SHOWN = 8;

/** Beside this script, whatever the address of the page. */
const addressOf = (name: string) => new URL(name, import.meta.url).href;

async function loadIndex(): Promise<MiniSearch<Section>> {
  const sections: Section[] = await (await fetch(addressOf('search.json'))).json();
  const index = new MiniSearch<Section>({
    fields: ['page', 'heading', 'text'],
    storeFields: ['page', 'heading'],
    searchOptions: { prefix: true, combineWith: 'AND', boost: { page: 4, heading: 3 } },
  });
  index.addAll(sections);
  return index;
}

function itemOf({ id, page, heading }: SearchResult): HTMLLIElement {
  const link = document.createElement('a');
  link.href = addressOf(id);
  link.textContent = heading ? `${page}: ${heading}` : page;
  const item = document.createElement('li');
  item.append(link);
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
  const show = async () => {
    index ??= loadIndex();
    const found = input.value.trim() ? (await index).search(input.value) : [];
    status.textContent = input.value.trim()
      ? `${found.length || 'No'} section${found.length === 1 ? '' : 's'} found`
      : '';
    list.replaceChildren(...found.slice(0, SHOWN).map(itemOf));
  };
  input.addEventListener('input', () => void show());
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click();
    if (event.key !== 'Escape') return;
    input.value = '';
    void show();
  });
  search.hidden = false;
}

const search = document.querySelector('search');
if (search instanceof HTMLElement) addSearch(search);
