import { randomUUID } from 'node:crypto';
import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { useBrowser } from '@tenant-open-platform/testing/browser';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openAs } from './console.js';

useBrowser();

const tenant = await createTenant();
const commands = '/api/v1/open/downlink/commands';

async function run(device_id: string): Promise<string> {
  const body = { vendor: 'vendor_a', device_id, command_type: 'reboot', payload: {}, idempotency_key: randomUUID() };
  const { body: accepted } = await signedRequest(tenant.operator, 'POST', commands, { body });
  await signedRequest(tenant.operator, 'GET', `${commands}/${accepted.command_id}?wait_seconds=30`);
  return accepted.command_id;
}

const [failed] = await Promise.all(['fail-1', 'reject-1', 'ok-1'].map(run));

const hash = (page: Page) => new URL(page.url()).hash;
const atCommand = (page: Page) => page.waitForURL((url) => url.hash === `#/commands/${failed}`);

test('the device and the time lead to the command, and its page leads back to the list with its filters', async () => {
  const { page } = await openAs(tenant.operator, '/commands?vendor=vendor_a&status=FAILED');
  const list = hash(page);
  const row = page.getByRole('row', { name: /fail-1/ });
  await row.getByRole('link', { name: 'fail-1' }).click();
  await atCommand(page);
  await page.getByRole('link', { name: 'The commands, filtered as before' }).click();
  await row.locator('time').click();
  expect(hash(page)).toBe(`#/commands/${failed}`);
  await page.getByRole('link', { name: 'The commands, filtered as before' }).click();
  await row.waitFor();
  expect(hash(page)).toBe(list);
});

test('one choice shows all commands that ended without success', async () => {
  const { page } = await openAs(tenant.operator, '/commands');
  await page.getByRole('row', { name: /ok-1/ }).waitFor();
  await page.getByLabel('All without success').check();
  await expect.poll(() => page.getByRole('row', { name: /ok-1/ }).count()).toBe(0);
  await page.getByRole('row', { name: /fail-1/ }).waitFor();
  await page.getByRole('row', { name: /reject-1/ }).waitFor();
  expect(decodeURIComponent(hash(page))).toBe('#/commands?status=FAILED,REJECTED,UNSUPPORTED,TIMED_OUT,EXPIRED');
  // It follows the single ones.
  await page.getByRole('checkbox', { name: 'REJECTED' }).uncheck();
  await expect.poll(() => page.getByLabel('All without success').isChecked()).toBe(false);
  await page.getByLabel('All without success').check();
  await page.getByLabel('All without success').uncheck();
  await page.getByRole('row', { name: /ok-1/ }).waitFor();
  expect(hash(page)).toBe('#/commands');
});

test.each([390, 1_280, 2_560])(
  'at %i px the filters show their values whole, and do not move the table',
  async (width) => {
    const viewport = { width, height: 1_400 };
    const { page } = await openAs(tenant.operator, '/commands', { viewport, locale: 'en-US' });
    const table = page.getByRole('region', { name: 'Commands' });
    await table.waitFor();
    // Until then the line above the filters has a button more.
    await page.getByText('Live', { exact: true }).waitFor();
    const top = async () => (await table.boundingBox())?.y;
    const before = await top();
    const from = page.getByLabel('Accepted from');
    await from.fill('2020-12-31T11:58:59');
    await from.press('Enter');
    await page.waitForURL((url) => url.hash.includes('accepted_after'));
    expect(await top()).toBe(before);
    expect(await isWhole(from)).toBe(true);
    const batch = page.getByLabel('Batch');
    await batch.fill(randomUUID());
    expect(await batch.evaluate((field) => field.scrollWidth <= field.clientWidth)).toBe(true);
  },
);

/** Whether the field is as wide as its value, of which the parts are the browser's own. */
const isWhole = (field: Locator) =>
  field.evaluate((shown: HTMLInputElement) => {
    const natural = shown.cloneNode() as HTMLInputElement;
    natural.style.width = 'max-content';
    shown.after(natural);
    const isWhole = natural.offsetWidth <= shown.offsetWidth;
    natural.remove();
    return isWhole;
  });

test('a screen reader meets no button that nobody sees', async () => {
  const { page } = await openAs(tenant.operator, '/commands');
  await page.getByRole('row', { name: /ok-1/ }).waitFor();
  const buttons = page.getByRole('form', { name: 'Filters' }).getByRole('button');
  expect(await buttons.allTextContents()).toEqual(['Clear the filters']);
});
