import { randomUUID } from 'node:crypto';
import { createCredential, createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { findings } from '@tenant-open-platform/testing/accessibility';
import { newPage, useBrowser } from '@tenant-open-platform/testing/browser';
import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { open, openAs, signIn } from './console.js';

useBrowser();

const { tenant_id } = await createTenant();
const operator = await createCredential(tenant_id, { role: 'integration_operator' });
const commands = '/api/v1/open/downlink/commands';

async function send(device_id: string, fields: object = {}): Promise<{ command_id: string }> {
  const command = { vendor: 'vendor_a', device_id, command_type: 'reboot', payload: {}, idempotency_key: randomUUID() };
  return (await signedRequest(operator, 'POST', commands, { body: { ...command, ...fields } })).body;
}

async function run(device_id: string): Promise<void> {
  const accepted = await send(device_id);
  await signedRequest(operator, 'GET', `${commands}/${accepted.command_id}?wait_seconds=30`);
}

await Promise.all(['ok-1', 'ok-2', 'ok-3', 'ok-4', 'ok-5', 'ok-6', 'fail-1'].map(run));

/** With SCREENSHOTS=1 the test replaces the picture of README.md and docs/console.md. */
const picture = process.env.SCREENSHOTS && new URL('../../docs/images/console-light.jpg', import.meta.url).pathname;

test('the outcomes of the day are counted, change while the page is open, and lead to exactly these commands', async () => {
  // Accepted in the same hour, but it does not end.
  await send('offline-1', { timeout_seconds: 300 });
  const { page, faults } = await openAs(operator, '/');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('link', { name: '6 SUCCEEDED', exact: true }).waitFor();
  await run('ok-7');
  await page.getByRole('link', { name: '7 SUCCEEDED', exact: true }).waitFor();
  await page
    .getByRole('row', { name: /vendor_a/ })
    .getByRole('link', { name: /half took about/ })
    .waitFor();
  await page.getByText('Their list is shorter if some were deleted since').waitFor();
  // Of the hour in which they ended: another one may have begun.
  const bar = page.getByRole('link', { name: /: .*\d FAILED/ }).last();
  const counted = [...((await bar.getAttribute('aria-label')) ?? '').matchAll(/(\d+) [A-Z]/g)];
  const shown = counted.reduce((sum, [, count]) => sum + Number(count), 0);
  await bar.click();
  await page.getByText(`${shown} shown`, { exact: true }).waitFor();
  await page.getByRole('row', { name: /fail-1/ }).waitFor();
  expect(await page.getByRole('row', { name: /offline-1/ }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a platform administrator sees the platform, and in one line what the credential may not see', async () => {
  const { page } = await openAs(platform().admin, '/');
  await page.getByText('Slots with a worker').waitFor();
  await page.getByText('16 of 16').waitFor();
  const missing = await page.getByText('Not shown:').textContent();
  expect(missing).toContain('Outcomes of the last 24 hours, Time from acceptance to outcome, Open commands');
  expect(missing).toMatch(/lacks open:command:read, open:catalog:read\. Ask an administrator of your tenant\.$/);
  expect(await page.locator('.card h2').allTextContents()).toEqual(['Parked messages', 'The platform']);
  expect(await page.getByRole('alert').count()).toBe(0);
});

test.each([
  ['light', 1_280],
  ['dark', 390],
] as const)('nothing keeps a reader from it in %s at %i px', async (colorScheme, width) => {
  const viewport = { width, height: 800 };
  const { page } = await open('/', { viewport, colorScheme, bypassCSP: true });
  await signIn(page, operator);
  await page.getByRole('row', { name: /vendor_a/ }).waitFor();
  await page.getByText('no command ended', { exact: true }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByText('last read at').first().waitFor();
  const cards = await page.locator('.card:not(.whole)').evaluateAll((all) => all.map((one) => one.clientHeight));
  if (width > 1_000) expect(new Set(cards).size).toBe(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  if (picture && colorScheme === 'light') await page.screenshot({ type: 'jpeg', quality: 80, path: picture });
  // A time stays on one line, however narrow its place is.
  const times = page.locator('main time');
  await page.getByRole('main').evaluate((main) => {
    main.style.width = '7rem';
  });
  const lines = await times.evaluateAll((all) => all.map((time) => time.getClientRects().length));
  expect(lines).toEqual(lines.map(() => 1));
  expect(lines.length).toBeGreaterThan(1);
});

/** Of issue 47: sign-in and Overview. Forms and plots of other pages load later. */
const FIRST_VIEW_BYTES = 150_000;

test('the first view, to the Overview of a credential that has just signed in, has at most 150 kB over the wire', async () => {
  const { page } = await newPage();
  const sizes: Promise<number>[] = [];
  const isFile = (url: string) => /^\/console/.test(new URL(url).pathname);
  const bodySizeOf = async (request: Request) => (await request.sizes()).responseBodySize;
  page.on('requestfinished', (request) => isFile(request.url()) && sizes.push(bodySizeOf(request)));
  await page.goto(`${platform().nodes[0]}/console`);
  await signIn(page, operator);
  await page.getByRole('row', { name: /vendor_a/ }).waitFor();
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(FIRST_VIEW_BYTES / 2);
  expect(total).toBeLessThan(FIRST_VIEW_BYTES);
});
