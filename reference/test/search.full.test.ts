import { createTenant, platform, type RequestOptions, signedRequest } from '@tenant-open-platform/testing';
import { newContext, openPage, useBrowser, WITHIN } from '@tenant-open-platform/testing/browser';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

useBrowser();

const origin = () => platform().nodes[0] ?? '';
const searchOf = (page: Page) => page.getByLabel('Search guides and reference');

/** The addresses of the hits, below /docs, in their order. */
async function hitsFor(page: Page, text: string): Promise<string[]> {
  await searchOf(page).fill('');
  await searchOf(page).fill(text);
  await page
    .getByRole('status')
    .getByText(/results?$/)
    .waitFor();
  const links = await page.locator('search a').evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
  return links.map((link) => link.slice(`${origin()}/docs`.length));
}

describe.each([
  ['the reference', '/docs'],
  ['a guide', '/docs/commands'],
])('the search of %s', (_, path) => {
  let page: Page;

  beforeAll(async () => {
    ({ page } = await openPage(await newContext({ viewport: { width: 1_280, height: 860 } })));
    await page.goto(origin() + path);
    await searchOf(page).waitFor();
  });

  test.each([
    ['CLOCK_SKEW', /^\/(errors|signing)#/],
    ['rate limit', /^\/(errors#RATE_LIMITED|[\w-]*limits)/],
    ['HMAC', /^\/signing(#|$)/],
    ['idempotency', /^\/requests/],
    ['commands.createMany', /^#tag\/commands\/POST\//],
  ])('%s leads to what explains it', async (text, wanted) => {
    const hits = await hitsFor(page, text);
    expect(hits.slice(0, 5).filter((hit) => wanted.test(hit))).not.toEqual([]);
    // What explains it is not behind the operations that mention it.
    if (!text.includes('.')) expect(hits[0]).not.toMatch(/^#/);
  });

  test('an operation is opened, with the keyboard alone', async () => {
    await hitsFor(page, 'tenants.create');
    await page.keyboard.press('Enter');
    await page.locator('h2, h3', { hasText: 'Create a tenant' }).first().waitFor(WITHIN);
    expect(page.url()).toBe(`${origin()}/docs#tag/tenants/POST/api/v1/platform/tenants`);
    await page.goto(origin() + path);
  });
});

test.each([
  'NO_ADAPTER',
  'TIMED_OUT',
  'RESTORED',
  'EXPIRED',
  'ADAPTER_BUSY',
  'NOT_STARTED',
  'DEADLINE_EXCEEDED',
  'OUTCOME_UNKNOWN',
])('the reason %s leads to its row, and only to pages that have the word', async (code) => {
  const { page } = await openPage(await newContext());
  await page.goto(`${origin()}/docs/guides`);
  const hits = await hitsFor(page, code);
  expect(hits).toContain(`/errors#${code}`);
  expect(hits[0]).toMatch(new RegExp(`#${code}$`));
  if (!code.includes('_')) return;
  const guides = hits.filter((hit) => hit.startsWith('/'));
  const answers = await Promise.all(guides.map(async (hit) => (await fetch(`${origin()}/docs${hit}`)).text()));
  expect(guides.filter((_, index) => !answers[index]?.includes(code))).toEqual([]);
});

test('while a code is being written, and beside other words, it finds its row', async () => {
  const { page } = await openPage(await newContext());
  await page.goto(`${origin()}/docs/guides`);
  expect(await hitsFor(page, 'no_adap')).toContain('/errors#NO_ADAPTER');
  expect(await hitsFor(page, 'NO_ADAPTERS')).toEqual([]);
  expect(await hitsFor(page, 'reason NO_ADAPTER')).toContain('/commands#when-the-time-is-over');
});

const COMMANDS = '/api/v1/open/downlink/commands';
const ME = '/api/v1/open/me';
const nonce = crypto.randomUUID();

/** A request, and the code of its refusal. */
const refused: [string, string, string, RequestOptions?][] = [
  ['UNAUTHENTICATED', 'GET', ME, { signature: `v1=${'0'.repeat(64)}` }],
  ['CLOCK_SKEW', 'GET', ME, { timestamp: 1_700_000_000 }],
  ['NONCE_REUSED', 'GET', ME, { nonce }],
  ['FORBIDDEN', 'GET', '/api/v1/platform/tenants'],
  ['NOT_FOUND', 'GET', `${COMMANDS}/none`],
  ['METHOD_NOT_ALLOWED', 'PUT', COMMANDS, { body: {} }],
  ['VALIDATION_FAILED', 'POST', COMMANDS, { body: { vendor: 'vendor_a' } }],
  ['MALFORMED_JSON', 'POST', COMMANDS, { body: Buffer.from('{"vendor":}') }],
  ['INVALID_CURSOR', 'GET', `${COMMANDS}?cursor=none`],
  ['INVALID_TARGET', 'GET', `${COMMANDS}?limit=1&limit=2`],
  ['UNSUPPORTED_MEDIA_TYPE', 'POST', COMMANDS, { body: {}, headers: { 'Content-Encoding': 'gzip' } }],
  ['PAYLOAD_TOO_LARGE', 'POST', COMMANDS, { body: Buffer.alloc(70_000, 32) }],
];

test('whoever pastes the message of a refusal, or its code, is led to the error in one step', async () => {
  const { operator } = await createTenant();
  await signedRequest(operator, 'GET', ME, { nonce });
  const { page } = await openPage(await newContext());
  await page.goto(`${origin()}/docs/guides`);
  const found: Record<string, unknown> = {};
  for (const [code, method, target, options] of refused) {
    const { body } = await signedRequest(operator, method, target, options);
    expect(body.code, body.message).toBe(code);
    const wanted = `/errors#${code}`;
    const byMessage = (await hitsFor(page, body.message))[0] === wanted;
    const byCode = (await hitsFor(page, code)).slice(0, 3).includes(wanted);
    if (!byMessage || !byCode) found[code] = { byMessage, byCode, message: body.message };
  }
  expect(found).toEqual({});
  // The address of the hit is that of the row.
  await hitsFor(page, 'NONCE_REUSED');
  await page.locator('search a[href$="errors#NONCE_REUSED"]').click();
  await expect.poll(() => page.locator('tr:target').textContent(), WITHIN).toMatch(/^\s*NONCE_REUSED/);
});

test('there is one search: the reference has no other, and a search that cannot be loaded says so', async () => {
  const { page } = await openPage(await newContext({ viewport: { width: 1_280, height: 860 } }));
  await page.route('**/docs/search.json', (route) => route.abort());
  await page.goto(`${origin()}/docs`);
  await page.locator('#reference main').waitFor();
  await page.keyboard.press('Control+k');
  expect(await searchOf(page).evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await page.locator('[role=search], .sidebar-search-placeholder, [role=dialog]').count()).toBe(0);
  await searchOf(page).fill('signing');
  await page.getByText('The search could not be loaded').waitFor();
  await page.unroute('**/docs/search.json');
  expect((await hitsFor(page, 'signing'))[0]).toMatch(/^\/signing/);
});
