import { platform, startNode } from '@tenant-open-platform/testing';
import { newContext, openPage, useBrowser, WITHIN } from '@tenant-open-platform/testing/browser';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';

useBrowser();

type Request = { url: string; headers: Record<string, string>; body: string | null };
/** A page, with what it has requested and complained about since the test began. */
type Reference = { context: BrowserContext; page: Page; requested: Request[]; errors: string[] };
/** What it requested and complained about when it was loaded. */
type Loaded = Reference & { atLoad: Pick<Reference, 'requested' | 'errors'> };

type Device = { viewport: { width: number; height: number }; colorScheme: 'dark' | 'light' };
const PHONE: Device = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' };
const DESKTOP: Device = { viewport: { width: 1_280, height: 860 }, colorScheme: 'light' };
const CREATE = '/api/v1/open/downlink/commands';

async function load(options: Device, baseUrl = platform().nodes[0] ?? ''): Promise<Loaded> {
  const context = await newContext(options);
  const { page, errors } = await openPage(context);
  const requested: Request[] = [];
  page.on('request', (request) =>
    requested.push({ url: request.url(), headers: request.headers(), body: request.postData() }),
  );
  await page.goto(`${baseUrl}/docs#tag/commands/POST${CREATE}`);
  await headingOf(page).waitFor();
  return { context, page, requested, errors, atLoad: { requested: [...requested], errors: [...errors] } };
}

/** A page takes seconds of CPU to load, so the tests of a device share one. */
const loaded = new Map<Device, Promise<Loaded>>();

/** The page as it was loaded: without a credential, and its client closed. */
async function open(options = DESKTOP): Promise<Loaded> {
  const loading = loaded.get(options) ?? load(options);
  loaded.set(options, loading);
  const reference = await loading;
  const { page, requested, errors } = reference;
  await headingOf(page).waitFor();
  await page.keyboard.press('Escape');
  await clientOf(page).waitFor({ state: 'hidden' });
  await enter(page, { client_id: '', secret: '' });
  requested.length = 0;
  errors.length = 0;
  return reference;
}

const headingOf = (page: Page) => page.locator('h1, h2, h3', { hasText: 'Create a command' }).first();
/** Cards of the introduction have its class too. */
const clientOf = (page: Page) => page.locator('.scalar-client:not(.introduction-card-item)');
const clientIdOf = (page: Page) => page.locator('input[name=client_id]').first();
const secretOf = (page: Page) => page.locator('input[name=secret]').first();

async function enter(page: Page, { client_id: clientId, secret }: { client_id: string; secret: string }) {
  await clientIdOf(page).fill(clientId);
  await secretOf(page).fill(secret);
}

/** Sends the example of commands.create from the page. */
async function click(page: Page): Promise<void> {
  // By its text: a search by role reads the styles of the whole page, which is most of the time of these tests.
  await page
    .locator('button', { hasText: `(post ${CREATE})` })
    .first()
    .click();
  await clientOf(page).getByRole('button', { name: /^Send/ }).first().click();
}

/** Resolves to the status of the answer once the page shows it. It may have shown the answer to an earlier test. */
async function send(page: Page): Promise<string> {
  const [answer] = await Promise.all([page.waitForResponse((one) => one.url().endsWith(CREATE), WITHIN), click(page)]);
  const status = `${answer.status()} ${answer.statusText()}`;
  await clientOf(page).getByRole('link', { name: status }).waitFor();
  return status;
}

async function stored(context: BrowserContext, page: Page): Promise<string> {
  const ofPage = await page.evaluate(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    history: [location.href, history.state],
    name: window.name,
  }));
  return JSON.stringify([ofPage, await context.storageState({ indexedDB: true })]);
}

test('renders without a request to anybody else and without an error', async () => {
  const { page, atLoad } = await open();
  const { origin } = new URL(page.url());
  const urls = atLoad.requested.map(({ url }) => url);
  expect(urls.filter((url) => new URL(url).origin !== origin)).toEqual([]);
  expect(urls).toContain(`${origin}/openapi.json`);
  expect(atLoad.errors).toEqual([]);
});

test('signs and sends a command, and shows what was signed', async () => {
  const { page, requested, errors } = await open();
  const { demo } = platform();
  await enter(page, demo);
  expect(await send(page)).toBe('202 Accepted');
  const nonce = requested.find(({ headers }) => headers['x-api-nonce'])?.headers['x-api-nonce'] as string;
  const region = clientOf(page).getByRole('region', { name: 'String to sign' });
  await region.filter({ hasText: nonce }).waitFor();
  const text = await region.textContent();
  const lines = ['HMAC-SHA256-V1', 'methodPOST', 'target/api/v1/open/downlink/commands', `client_id${demo.client_id}`];
  for (const line of lines) expect(text).toContain(line);
  expect(errors).toEqual([]);
});

test('shows the four headers that it has added', async () => {
  const { page, requested } = await open();
  await enter(page, platform().demo);
  expect(await send(page)).toBe('202 Accepted');
  const sent = requested.find(({ headers }) => headers['x-api-nonce'])?.headers ?? {};
  const shown = clientOf(page).getByRole('region', { name: 'Signed headers' });
  await shown.filter({ hasText: sent['x-api-nonce'] ?? '-' }).waitFor();
  const text = await shown.textContent();
  for (const name of ['X-Api-Id', 'X-Api-Timestamp', 'X-Api-Nonce', 'X-Api-Signature']) {
    expect(text).toContain(`${name}${sent[name.toLowerCase()]}`);
  }
});

test('the open operations come before administration, commands first', async () => {
  const { page } = await open();
  const titles = await page.locator('.t-doc__sidebar li').allInnerTexts();
  const at = (title: string) => titles.findIndex((text) => text.split('\n')[0] === title);
  const order = ['Open operations', 'Commands', 'Events', 'Administration', 'Tenants'].map(at);
  expect(order.every((position) => position >= 0)).toBe(true);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
});

test('shows the same request in ten languages and tools', async () => {
  const { page } = await open();
  const card = page.locator('.scalar-card', { hasText: 'client.commands.create' }).first();
  await card.getByRole('button', { name: /SDK/ }).click();
  const labels = ['SDK', 'topctl', 'curl and openssl', 'Python', 'Go', 'Java', 'C#', 'PHP', 'Ruby', 'Rust'];
  const options = await page.getByRole('option').allTextContents();
  expect(options.map((text) => text.trim()).filter((text) => labels.includes(text))).toEqual(labels);
  await page.getByRole('option', { name: 'Ruby' }).click();
  await page
    .locator('code', { hasText: "base_url, client_id, secret, 'POST', '/api/v1/open/downlink/commands'" })
    .waitFor();
});

test('the first stop of the keyboard skips to the content, where the credential is entered', async () => {
  const { page } = await load(DESKTOP);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.locator('.skip-link').focus();
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.matches('#reference main'))).toBe(true);
  for (const _ of [1, 2, 3]) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.getAttribute('name') === 'client_id')) break;
  }
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('client_id');
});

test('a link to an operation draws no frame around the whole operation', async () => {
  const { page } = await load({ viewport: { width: 1_440, height: 900 }, colorScheme: 'light' });
  const tall = await page.locator('#reference *').evaluateAll(
    (all) =>
      all.filter((one) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(one);
        return outlineStyle !== 'none' && outlineWidth !== '0px' && one.clientHeight > innerHeight;
      }).length,
  );
  expect(tall).toBe(0);
});

test.each([390, 600, 768, 900, 1_024, 1_440])(
  'at %i pixels, no button of the client covers another part',
  async (width) => {
    const { page } = await open();
    onTestFinished(() => page.setViewportSize(DESKTOP.viewport));
    await page.setViewportSize({ width, height: 860 });
    await page
      .locator('button', { hasText: `(post ${CREATE})` })
      .first()
      .click();
    const client = clientOf(page);
    const parts = ['.scalar-sidebar-toggle', '.app-exit-button', '.address-bar-bg-states'].map((name) =>
      client.locator(name),
    );
    await parts[1]?.waitFor();
    const boxes = await Promise.all([...parts, page.locator('.top-bar')].map((part) => part.first().boundingBox()));
    const overlaps = boxes.flatMap((one, index) =>
      boxes.slice(index + 1).flatMap((other, offset) => {
        if (!one || !other) return [];
        const apart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y;
        return apart ? [] : [[index, index + 1 + offset]];
      }),
    );
    expect(boxes.every(Boolean)).toBe(true);
    expect(overlaps).toEqual([]);
  },
);

test('says that a platform which has stopped does not answer', async () => {
  const server = await startNode();
  const { page } = await load(DESKTOP, new URL(server.baseUrl).origin);
  await enter(page, server.demo);
  expect(await send(page)).toBe('202 Accepted');
  await server.stop();
  await clientOf(page).getByRole('button', { name: /^Send/ }).first().click();
  await page
    .getByText(/^No answer from http:\/\/127\.0\.0\.1:\d+: the platform does not run/)
    .first()
    .waitFor();
});

test('until its script has arrived, says that it loads; if it or the document does not arrive, says so', async () => {
  const { page } = await openPage(await newContext(DESKTOP));
  let arrive = () => {};
  const arrives = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route('**/scalar/standalone.esm.js', (route) => arrives.then(() => route.continue()));
  await page.goto(`${platform().nodes[0]}/docs`, { waitUntil: 'commit' });
  const line = page.locator('.top-loading');
  await line.filter({ hasText: 'Loading the reference' }).waitFor();
  arrive();
  await page.locator('#reference main').waitFor();
  await expect.poll(() => line.count(), WITHIN).toBe(0);
  for (const missing of ['**/openapi.json', '**/scalar/standalone.esm.js']) {
    await page.unrouteAll();
    await page.route(missing, (route) => route.abort());
    await page.reload();
    await line.filter({ hasText: 'The platform does not answer' }).waitFor();
  }
});

test('keeps the secret in memory: it is in no storage, address or request', async () => {
  const { context, page, requested } = await open();
  const { demo } = platform();
  await enter(page, demo);
  expect(await send(page)).toBe('202 Accepted');
  expect(requested.filter(({ headers }) => headers['x-api-signature'])).toHaveLength(1);
  expect(JSON.stringify(requested)).not.toContain(demo.secret);
  expect(await stored(context, page)).not.toContain(demo.secret);
  await page.reload();
  await expect.poll(() => secretOf(page).inputValue(), WITHIN).toBe('');
});

test('reads a credential from a file', async () => {
  const { page } = await open();
  const { demo } = platform();
  const buffer = Buffer.from(JSON.stringify(demo));
  await page
    .locator('label', { hasText: 'Read both from a file' })
    .first()
    .locator('input')
    .setInputFiles({ name: 'demo.json', mimeType: 'application/json', buffer });
  await expect.poll(() => secretOf(page).inputValue(), WITHIN).toBe(demo.secret);
  expect(await send(page)).toBe('202 Accepted');
});

test('after a wrong secret, says that the secret is wrong and not the signed lines', async () => {
  const { page } = await open();
  const { demo } = platform();
  await enter(page, { ...demo, secret: `${demo.secret}x` });
  expect(await send(page)).toBe('401 Unauthorized');
  const reason = clientOf(page).getByRole('region', { name: 'Why the request was refused' });
  await expect.poll(() => reason.textContent(), WITHIN).toMatch(/same seven lines.*secret is wrong/);
});

test('on a phone, a refusal is in view and is announced', async () => {
  const { page } = await open(PHONE);
  const { demo } = platform();
  await enter(page, { ...demo, secret: `${demo.secret}x` });
  expect(await send(page)).toBe('401 Unauthorized');
  const box = await clientOf(page).getByRole('region', { name: 'Why the request was refused' }).boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
  const announced = clientOf(page).getByRole('status').filter({ hasText: '401 UNAUTHENTICATED' });
  expect(await announced.textContent()).toMatch(/^401 UNAUTHENTICATED. .*the secret is wrong/);
});

test('after a change on the way, shows the line that differs', async () => {
  const { page } = await open();
  await enter(page, platform().demo);
  onTestFinished(() => page.unrouteAll());
  await page.route('**/downlink/commands', (route) => route.continue({ postData: '{"changed":true}' }));
  expect(await send(page)).toBe('401 Unauthorized');
  const reason = clientOf(page).getByRole('region', { name: 'Why the request was refused' });
  await expect.poll(() => reason.textContent(), WITHIN).toMatch(/body_sha256[0-9a-f]{128}$/);
  expect(await reason.textContent()).not.toContain('nonce');
});

test('without a credential, nothing is sent', async () => {
  const { page, requested } = await open();
  await click(page);
  await clientOf(page).getByText('Enter client_id and secret').first().waitFor();
  expect(requested.filter(({ url }) => url.includes('/api/v1'))).toEqual([]);
});

test.each([
  ['a phone, dark', PHONE],
  ['a desktop, light', DESKTOP],
])('fits the width of %s', async (_, options) => {
  const { page } = await open(options);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(options.viewport.width);
  await enter(page, platform().demo);
  expect(await send(page)).toBe('202 Accepted');
  const sections = [
    clientOf(page).locator('main > div').last(),
    clientOf(page).getByRole('region', { name: 'String to sign' }),
  ];
  for (const section of sections) {
    const box = await section.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(options.viewport.width);
  }
});

test('calls the platform that serves it, below a path prefix too', async () => {
  const server = await startNode({ BASE_PATH: '/platform' });
  const { page, requested } = await load(DESKTOP, `${new URL(server.baseUrl).origin}/platform`);
  await enter(page, server.demo);
  expect(await send(page)).toBe('202 Accepted');
  expect(new URL(requested.at(-1)?.url ?? '').pathname).toBe('/platform/api/v1/open/downlink/commands');
});
