import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from '@tenant-open-platform/testing';
import { startServer } from '@tenant-open-platform/testing/start-server';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { type ContextOptions, newPage, WITHIN } from './browser.js';

type Options = ContextOptions & { baseUrl?: string };

/** The reference page, with what it has requested and complained about. */
async function open({ baseUrl = platform().nodes[0] ?? '', ...options }: Options = {}) {
  const { page, errors } = await newPage(options);
  const requested: Array<{ url: string; headers: Record<string, string>; body: string | null }> = [];
  page.on('request', (request) =>
    requested.push({ url: request.url(), headers: request.headers(), body: request.postData() }),
  );
  await page.goto(`${baseUrl}/docs#tag/commands/POST/api/v1/open/downlink/commands`);
  await page.getByRole('heading', { name: 'Create a command' }).first().waitFor();
  return { context: page.context(), page, requested, errors };
}

async function enter(page: Page, { client_id: clientId, secret }: { client_id: string; secret: string }) {
  await page.getByLabel('client_id').first().fill(clientId);
  await page.getByLabel('secret').first().fill(secret);
}

/** Sends the example of commands.create from the page; resolves to what the page shows as its status. */
async function send(page: Page): Promise<string> {
  await page
    .getByRole('button', { name: /Test Request.*downlink\/commands\)/ })
    .first()
    .click();
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const status = await page.getByRole('link', { name: /^(202 Accepted|401 Unauthorized)/ }).textContent();
  return status?.trim() ?? '';
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
  const { page, requested, errors } = await open();
  const { origin } = new URL(page.url());
  expect(requested.map(({ url }) => url).filter((url) => new URL(url).origin !== origin)).toEqual([]);
  expect(requested.map(({ url }) => url)).toContain(`${origin}/openapi.json`);
  expect(errors).toEqual([]);
});

test('signs and sends a command, and shows what was signed', async () => {
  const { page, errors } = await open();
  const { demo } = platform();
  await enter(page, demo);
  expect(await send(page)).toBe('202 Accepted');
  const text = await page.getByRole('region', { name: 'String to sign' }).textContent();
  const lines = ['HMAC-SHA256-V1', 'methodPOST', 'target/api/v1/open/downlink/commands', `client_id${demo.client_id}`];
  for (const line of lines) expect(text).toContain(line);
  expect(errors).toEqual([]);
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
  await expect.poll(() => page.getByLabel('secret').first().inputValue(), WITHIN).toBe('');
});

test('reads a credential from a file', async () => {
  const { page } = await open();
  const { demo } = platform();
  const buffer = Buffer.from(JSON.stringify(demo));
  await page
    .getByLabel('Read both from a file')
    .first()
    .setInputFiles({ name: 'demo.json', mimeType: 'application/json', buffer });
  await expect.poll(() => page.getByLabel('secret').first().inputValue(), WITHIN).toBe(demo.secret);
  expect(await send(page)).toBe('202 Accepted');
});

test('after a wrong secret, says that the secret is wrong and not the signed lines', async () => {
  const { page } = await open();
  const { demo } = platform();
  await enter(page, { ...demo, secret: `${demo.secret}x` });
  expect(await send(page)).toBe('401 Unauthorized');
  const reason = page.getByRole('region', { name: 'Why the request was refused' });
  expect(await reason.textContent()).toMatch(/same seven lines.*secret is wrong/);
});

test('on a phone, a refusal is in view and is announced', async () => {
  const { page } = await open({ viewport: { width: 390, height: 844 } });
  const { demo } = platform();
  await enter(page, { ...demo, secret: `${demo.secret}x` });
  expect(await send(page)).toBe('401 Unauthorized');
  const box = await page.getByRole('region', { name: 'Why the request was refused' }).boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
  const announced = page.locator('.scalar-client').getByRole('status').filter({ hasText: '401 UNAUTHENTICATED' });
  expect(await announced.textContent()).toMatch(/^401 UNAUTHENTICATED. .*the secret is wrong/);
});

test('after a change on the way, shows the line that differs', async () => {
  const { page } = await open();
  await enter(page, platform().demo);
  await page.route('**/downlink/commands', (route) => route.continue({ postData: '{"changed":true}' }));
  expect(await send(page)).toBe('401 Unauthorized');
  const reason = await page.getByRole('region', { name: 'Why the request was refused' }).textContent();
  expect(reason).toMatch(/body_sha256[0-9a-f]{128}$/);
  expect(reason).not.toContain('nonce');
});

test('without a credential, nothing is sent', async () => {
  const { page, requested } = await open();
  await page
    .getByRole('button', { name: /Test Request.*downlink\/commands\)/ })
    .first()
    .click();
  await page.getByRole('button', { name: /^Send/ }).first().click();
  await page.getByText('Enter client_id and secret').first().waitFor();
  expect(requested.filter(({ url }) => url.includes('/api/v1'))).toEqual([]);
});

test.each([
  ['a phone, dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ['a desktop, light', { viewport: { width: 1_280, height: 860 }, colorScheme: 'light' }],
] as const)('fits the width of %s', async (_, options) => {
  const { page } = await open(options);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(options.viewport.width);
  await enter(page, platform().demo);
  expect(await send(page)).toBe('202 Accepted');
  const sections = [
    page.locator('.scalar-client main > div').last(),
    page.getByRole('region', { name: 'String to sign' }),
  ];
  for (const section of sections) {
    const box = await section.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(options.viewport.width);
  }
});

test('calls the platform that serves it, below a path prefix too', async () => {
  const data = mkdtempSync(join(tmpdir(), 'top-reference-'));
  const server = await startServer({ DATA_DIR: data, BASE_PATH: '/platform' });
  onTestFinished(async () => {
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  });
  const { page, requested } = await open({ baseUrl: `${new URL(server.baseUrl).origin}/platform` });
  await enter(page, JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8')));
  expect(await send(page)).toBe('202 Accepted');
  expect(new URL(requested.at(-1)?.url ?? '').pathname).toBe('/platform/api/v1/open/downlink/commands');
});
