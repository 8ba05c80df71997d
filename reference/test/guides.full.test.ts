import { readdirSync, readFileSync } from 'node:fs';
import { platform } from '@tenant-open-platform/testing';
import {
  type ContextOptions,
  newContext,
  newPage,
  type Opened,
  openPage,
  useBrowser,
} from '@tenant-open-platform/testing/browser';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

useBrowser();

const addressOf = (name: string) => `${platform().nodes[0]}/docs/${name === 'README' ? 'guides' : name}`;

/** The pages share a cache, as those of a reader do. */
let phone: BrowserContext;

beforeAll(async () => {
  phone = await newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
});

async function onPhone(): Promise<Opened> {
  const opened = await openPage(phone);
  onTestFinished(() => opened.page.close());
  return opened;
}

const open = async (name: string, options?: ContextOptions) => show(name, await newPage(options));

/** The page, with the complaints of the browser and the requests to anybody else. */
async function show(name: string, { page, errors: faults }: Opened) {
  page.on('request', (request) => new URL(request.url()).origin !== platform().nodes[0] && faults.push(request.url()));
  await page.goto(addressOf(name));
  await page.getByLabel('Search guides and reference').waitFor();
  return { page, faults };
}

const linksOf = (page: Page) =>
  page
    .locator('a[href], img[src]')
    .evaluateAll((all) =>
      all.map((one) => (one as HTMLAnchorElement).href || (one as unknown as HTMLImageElement).src),
    );

/** Each address is read once: most pages link to the same ones. */
const known = new Map<string, Promise<Set<string>>>();

function idsAt(address: string): Promise<Set<string>> {
  const ids = known.get(address) ?? readIds(address);
  known.set(address, ids);
  return ids;
}

/** Without its anchor: the status, and the ids that it has. */
async function readIds(address: string): Promise<Set<string>> {
  const response = await fetch(address);
  expect([address, response.status]).toEqual([address, 200]);
  return new Set([...(await response.text()).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string));
}

const names = readdirSync(new URL('../../docs/', import.meta.url)).flatMap(
  (file) => /^(.+)\.md$/.exec(file)?.[1] ?? [],
);

describe.each(names)('%s', (name) => {
  test('renders on a phone without an error or a request to anybody else, and every link leads somewhere', async () => {
    const { page, faults } = await show(name, await onPhone());
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const onThisMachine = (await linksOf(page)).filter((link) => /^http:\/\/(127\.0\.0\.1|localhost)/.test(link));
    const links = onThisMachine.filter((link) => link.startsWith(platform().nodes[0] ?? ''));
    // A link to another port names a platform that may not exist.
    expect(links).toEqual(onThisMachine);
    expect(links.length).toBeGreaterThan(10);
    for (const link of new Set(links)) {
      const [address = '', anchor] = link.split('#');
      const ids = await idsAt(address);
      if (anchor) expect([link, ids.has(anchor)]).toEqual([link, true]);
    }
    expect(faults).toEqual([]);
  });
});

test('code is highlighted in the colours of the scheme, and says the same as in the file', async () => {
  const { page } = await open('signing-code', { colorScheme: 'dark' });
  const colourOf = (part: string) =>
    page
      .locator(`pre .hljs-${part}`)
      .first()
      .evaluate((node) => getComputedStyle(node).color);
  const colours = await Promise.all(['keyword', 'string', 'comment'].map(colourOf));
  expect(new Set([...colours, 'rgb(231, 231, 231)']).size).toBe(4);
  const file = readFileSync(new URL('../../docs/signing-code.md', import.meta.url), 'utf8');
  const [, code = ''] = /^```python[^\n]*\n(.*?)^```$/ms.exec(file) ?? [];
  expect(await page.locator('pre .language-python').first().textContent()).toBe(code);
});

test('search finds a page, by the keyboard alone', async () => {
  const { page, faults } = await open('README');
  await page.getByLabel('Search guides and reference').fill('idempot');
  await page.getByRole('status').getByText('results').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Idempotency' }).waitFor();
  await page.getByLabel('Search guides and reference').fill('unknownword');
  await page.getByText('No results').waitFor();
  expect(faults).toEqual([]);
});

test('each block of code has a button that copies it as it is in the file', async () => {
  const { page } = await open('signing', { permissions: ['clipboard-read', 'clipboard-write'] });
  const blocks = await page.locator('main pre').count();
  const buttons = page.locator('.code').getByRole('button', { name: 'Copy' });
  expect(await buttons.count()).toBe(blocks);
  const text = await page.locator('main pre').nth(1).textContent();
  await buttons.nth(1).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text?.trimEnd());
});

test.each([390, 768, 1_440])('at %i pixels, a page says what is on it', async (width) => {
  const { page } = await open('signing', { viewport: { width, height: 900 } });
  const contents = page.getByRole('navigation', { name: 'On this page' });
  const headings = await page.locator('main h2[id]').allTextContents();
  expect(await contents.getByRole('link').allTextContents()).toEqual(headings);
  await contents.getByRole('link').last().click();
  expect(await page.locator('h2:target').textContent()).toBe(headings.at(-1));
  const [side, main] = await Promise.all([contents.boundingBox(), page.locator('main > p').first().boundingBox()]);
  // Where there is room, it stays beside the text.
  expect((side?.x ?? 0) > (main?.x ?? 0) + (main?.width ?? 0)).toBe(width === 1_440);
});

test('the first stop of the keyboard skips to the content', async () => {
  const { page } = await open('commands');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
});

test('a flag is not coloured as a word of the shell', async () => {
  const { page } = await open('commands');
  const text = await page.locator('pre', { hasText: '--wait' }).first().innerHTML();
  expect(text).not.toMatch(/-<span[^>]*>wait/);
});

test('the guides and the reference lead to each other', async () => {
  const { page } = await open('README');
  await page.getByRole('link', { name: 'API reference' }).first().click();
  await page.getByRole('link', { name: 'Guides' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Guides' }).waitFor();
});
