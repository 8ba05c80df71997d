import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { findings } from '@tenant-open-platform/testing/accessibility';
import { useBrowser } from '@tenant-open-platform/testing/browser';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type Batch, pagesToRead, readBatch } from '../src/fleet/read-batch.js';
import { openAs } from './console.js';

useBrowser();

const tenant = await createTenant();
const { operator } = tenant;
const client = new TenantOpenPlatform({
  baseUrl: operator.base_url,
  clientId: operator.client_id,
  secret: operator.secret,
});

async function createBatch(devices: readonly string[], fields: object = {}) {
  const common = { vendor: 'vendor_a', command_type: 'set_power', payload: { power: 'on' }, ...fields };
  const created = await client.commands.createMany(devices.map((device_id) => ({ ...common, device_id })));
  expect(created.results.filter(({ error }) => error)).toEqual([]);
  return created;
}

const ended = (page: Page, of: number) => page.getByText(`${of} of ${of} commands have ended`).waitFor();

test('three devices, of which one fails: sent from the form, followed to the end, and why it failed', async () => {
  const { page, faults } = await openAs(operator, '/send');
  await page.getByLabel('Vendor').selectOption('vendor_a');
  await page.getByLabel('Command type').selectOption('set_power');
  await page.getByLabel('Device ids, one a line').fill('slow-1\nfail-1\nok-1');
  await page.getByLabel(/^power/).selectOption('on');
  await page.getByRole('button', { name: 'Show what would be sent' }).click();
  await page.getByRole('button', { name: 'Send 3 commands' }).click();
  await page.waitForURL((url) => url.hash.startsWith('#/fleet/'));
  // It changes by itself.
  await page.getByText('2 of 3 commands have ended').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await ended(page, 3);
  await page.getByRole('img', { name: 'Accepted 3, Ended 3, Succeeded 2.' }).waitFor();
  expect(await page.locator('.burn-up canvas').count()).toBe(1);
  const failure = page.getByRole('row', { name: /DEVICE_FAULT/ });
  expect(await failure.textContent()).toMatch(/FAILED1fail-1$/);
  await failure.getByRole('link', { name: '1', exact: true }).click();
  await page.getByRole('row', { name: /fail-1/ }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  await page.goBack();
  await page.getByRole('link', { name: 'fail-1' }).click();
  await page.locator('.reason').getByText('DEVICE_FAULT').waitFor();
  // And from the command to its batch.
  await page.locator('dd').getByRole('link').click();
  await ended(page, 3);
  expect(faults).toEqual([]);
});

test('the failed ones are a file that topctl sends, and that creates nothing twice', async () => {
  const devices = ['fail-2', 'reject-2', 'unreachable-2', 'ok-2'];
  const { batchId, results } = await createBatch(devices, { timeout_seconds: 77 });
  const { page, faults } = await openAs(operator, `/fleet/${batchId}`);
  await ended(page, 4);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the failed commands' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`failed-${batchId}.ndjson`);
  const folder = temporaryFolder();
  const file = join(folder, 'failed.ndjson');
  await download.saveAs(file);
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ device_id }) => device_id).sort()).toEqual(['fail-2', 'reject-2', 'unreachable-2']);
  expect(lines[0]).toMatchObject({ vendor: 'vendor_a', payload: { power: 'on' }, timeout_seconds: 77 });
  const failed = results.filter(({ command }) => command.device_id !== 'ok-2');
  const keys = failed.map(({ accepted }) => `again-${accepted?.command_id}`);
  expect(lines.map(({ idempotency_key }) => idempotency_key).sort()).toEqual(keys.sort());
  for (const again of [false, true]) {
    const sent = await topctl(['commands', 'create-many', '--from', file, '--batch-id', randomUUID(), '-o', 'ndjson']);
    expect(sent.map(({ idempotent_replayed = false }) => idempotent_replayed)).toEqual([again, again, again]);
  }
  expect((await client.commands.list({ device_id: 'fail-2' })).items).toHaveLength(2);
  expect(faults).toEqual([]);
});

const bin = fileURLToPath(new URL('../../cli/dist/bin.js', import.meta.url));

async function topctl(args: string[]): Promise<Record<string, unknown>[]> {
  const env = { TOP_BASE_URL: operator.base_url, TOP_CLIENT_ID: operator.client_id, TOP_SECRET: operator.secret };
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args], { env, cwd: temporaryFolder() });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a batch of several pages is read again only where it may have changed', async () => {
  const devices = Array.from({ length: 1_001 }, (_, index) => `${index === 600 ? 'slow' : 'ok'}-many-${index}`);
  const { batchId, results } = await createBatch(devices, { timeout_seconds: 120 });
  const slow = results[600]?.accepted?.command_id ?? '';
  const openCount = async () => {
    const { counts } = await client.commands.summary({ batch_id: batchId });
    return counts.ACCEPTED + counts.DISPATCHED;
  };
  await expect.poll(openCount).toBe(1);
  let requests = 0;
  const counted = new TenantOpenPlatform({
    baseUrl: operator.base_url,
    clientId: operator.client_id,
    secret: operator.secret,
    hooks: { onRequest: () => void requests++ },
  });
  const read = (known?: Batch) =>
    readBatch(counted, batchId, { known, signal: new AbortController().signal, onRead: () => {} });
  const commandsIn = ({ pages }: Batch) => pages.flatMap(({ commands }) => commands);

  const first = await read();
  expect([commandsIn(first).length, requests]).toEqual([1_001, first.pages.length]);
  expect(commandsIn(first).filter(({ completed_at }) => !completed_at)).toHaveLength(1);
  expect(pagesToRead(first)).toBe(2);
  await client.commands.wait(slow);
  requests = 0;
  const second = await read(first);
  expect(requests).toBe(2);
  expect(commandsIn(second).map(({ command_id }) => command_id)).toEqual(
    commandsIn(first).map(({ command_id }) => command_id),
  );
  expect(commandsIn(second).every(({ completed_at }) => completed_at)).toBe(true);
});

test('of a batch with more than 10,000 commands, the plot says that it shows a part, and the counts are whole', async () => {
  const count = 10_050;
  const { batchId } = await createBatch(
    Array.from({ length: count }, (_, index) => `offline-${index}`),
    { timeout_seconds: 300 },
  );
  const { page } = await openAs(operator, `/fleet/${batchId}`);
  await page.getByText('0 of 10,050 commands have ended').waitFor();
  await page.getByText(/shows? the first 10,000 commands only/).waitFor();
  await page.getByText('the plot is read again only when you ask').waitFor();
});

test('a batch that does not exist, and one that is no batch, say so', async () => {
  const { page } = await openAs(operator, `/fleet/${randomUUID()}`);
  await page.getByText('This tenant has no command of this batch.').waitFor();
  await page.goto(page.url().replace(/#.*/, '#/fleet/no-batch'));
  await page.getByRole('alert').getByText('batch_id').waitFor();
});

test('a reader without the scope to send sees the batch, and what devices are called is text', async () => {
  const device = `fail-<img src=x onerror=alert(1)> ${'x'.repeat(90)}`;
  const { batchId } = await createBatch([device, 'ok-3']);
  const { page, faults } = await openAs(tenant.reader, `/fleet/${batchId}`);
  await ended(page, 2);
  const name = page.getByRole('link', { name: device }).locator('bdi');
  expect(await name.textContent()).toBe(device);
  expect(await name.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe('isolate');
  expect(await page.locator('img').count()).toBe(0);
  expect(faults).toEqual([]);
});

describe.each([
  ['a phone, dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ['a desktop, light', { viewport: { width: 1_280, height: 860 }, colorScheme: 'light' }],
  ['a wall, light', { viewport: { width: 2_560, height: 1_400 }, colorScheme: 'light' }],
] as const)('on %s', (_, device) => {
  test('nothing keeps a reader from a batch', async () => {
    const { batchId } = await createBatch(['ok-4', 'fail-4', `reject-${'x'.repeat(100)}`]);
    const { page } = await openAs(operator, `/fleet/${batchId}`, { ...device, bypassCSP: true });
    await ended(page, 3);
    await page.getByRole('img', { name: 'Ended 3' }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(device.viewport.width);
  });
});
