import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect } from '@nats-io/transport-node';
import { subjects } from '@tenant-open-platform/contract/bus';
import { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { createTenant, platform, temporaryFolder } from '@tenant-open-platform/testing';
import { findings } from '@tenant-open-platform/testing/accessibility';
import { useBrowser } from '@tenant-open-platform/testing/browser';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type Batch, pagesToRead, readBatch } from '../src/fleet/read-batch.js';
import { goTo, openAs } from './console.js';

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

/** What an adapter tells about a command, once it was sent. */
async function tell(command_id: string, update: object): Promise<void> {
  await expect.poll(async () => (await client.commands.get(command_id)).status).not.toBe('ACCEPTED');
  const bus = await connect({ servers: platform().natsUrl as string });
  bus.publish(subjects.commandUpdate(tenant.tenant_id, 'vendor_a'), JSON.stringify({ command_id, ...update }));
  await bus.drain();
}

const ended = (page: Page, of: number) => page.getByText(`${of} of ${of} commands have ended`).waitFor();

test('three devices, of which one fails: sent from the form, followed to the end, and why it failed', async () => {
  const { page, faults } = await openAs(operator, '/send');
  await page.getByLabel('Vendor').selectOption('vendor_a');
  await page.getByLabel('Command type').selectOption('set_power');
  await page.getByLabel('Device ids, one a line').fill('offline-form\nfail-1\nok-1');
  await page.getByLabel('Timeout in seconds').fill('300');
  await page.getByLabel(/^power/).selectOption('on');
  await page.getByRole('button', { name: 'Show what would be sent' }).click();
  await page.getByRole('button', { name: 'Send 3 commands' }).click();
  await page.waitForURL((url) => url.hash.startsWith('#/fleet/'));
  // It changes by itself.
  await page.getByText('2 of 3 commands have ended').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const [open] = (await client.commands.list({ device_id: 'offline-form' })).items;
  await tell(open?.command_id ?? '', { device_execution_status: 'SUCCEEDED' });
  await ended(page, 3);
  await page.getByRole('img', { name: 'Accepted 3, Ended 3, Succeeded 2.' }).waitFor();
  expect(await page.locator('.burn-up canvas').count()).toBe(1);
  const reasons = page.getByRole('region', { name: 'Failures by reason' });
  expect(await reasons.getByRole('row', { name: /DEVICE_FAULT/ }).textContent()).toBe('DEVICE_FAULTFAILED1');
  await page.getByRole('link', { name: 'fail-1' }).click();
  await page.locator('.reason').getByText('DEVICE_FAULT').waitFor();
  expect(faults).toEqual([]);
});

test('a batch says what it is, from whom and from when, and its commands lead to it', async () => {
  const { batchId, results } = await createBatch(['ok-5', 'ok-6', 'fail-5']);
  const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'Asia/Kathmandu' }).format();
  const { page } = await openAs(operator, `/commands?batch_id=${batchId}`, {
    timezoneId: 'Asia/Kathmandu',
    locale: 'en-GB',
  });
  await page.getByRole('link', { name: 'Open this batch' }).click();
  await page.getByRole('heading', { level: 1, name: 'set_power → 3 devices' }).waitFor();
  const facts = await page.locator('.batch-facts').textContent();
  expect(facts).toMatch(new RegExp(`^Batch ${batchId}to vendor_aby ${operator.client_id}accepted ${today}`));
  const marked = page
    .getByRole('navigation', { name: 'Pages' })
    .locator('[aria-current="true"], [aria-current="page"]');
  expect(await marked.allTextContents()).toEqual(['Commands']);

  await goTo(page, `/commands/${results[0]?.accepted?.command_id}`);
  const link = page.getByText('Part of a batch:').getByRole('link', { name: batchId });
  const timeline = page.getByRole('heading', { name: 'Timeline' });
  const top = async (place: Locator) => (await place.boundingBox())?.y ?? Number.NaN;
  expect(await top(link)).toBeLessThan(await top(timeline));
  await link.click();
  await ended(page, 3);
  await goTo(page, '/commands');
  await page.getByRole('row', { name: /ok-5/ }).waitFor();
  expect(await page.getByRole('link', { name: 'Open this batch' }).count()).toBe(0);
});

test('each device that failed is listed with its own message', async () => {
  const levels = new Map([11, 24, 9].map((level) => [`offline-${level}`, level]));
  const { batchId, results } = await createBatch([...levels.keys()], { timeout_seconds: 300 });
  const { page } = await openAs(operator, `/fleet/${batchId}`);
  await page.getByText('0 of 3 commands have ended').waitFor();
  for (const { accepted, command } of results) {
    const message = `Battery at ${levels.get(command.device_id)} %, ${'and a charger is needed '.repeat(8)}`;
    const update = { device_execution_status: 'FAILED', status_reason: { code: 'BATTERY_LOW', message } };
    await tell(accepted?.command_id ?? '', update);
  }
  // Both are read again by themselves.
  const reasons = page.getByRole('region', { name: 'Failures by reason' });
  await reasons.getByRole('row', { name: 'BATTERY_LOW FAILED 3' }).waitFor();
  const list = page.getByRole('region', { name: 'Failed commands' });
  for (const [device, level] of levels) {
    const message = list
      .getByRole('row', { name: new RegExp(`^${device} FAILED BATTERY_LOW `) })
      .locator('td')
      .last();
    expect(await message.textContent()).toMatch(new RegExp(`^Battery at ${level} %`));
    expect(await message.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
  }
  await reasons.getByRole('link', { name: '3', exact: true }).click();
  await page.getByText('3 shown').waitFor();
  expect(new URL(page.url()).hash).toBe(`#/commands?batch_id=${batchId}&status=FAILED&reason=BATTERY_LOW`);
});

test('of many that failed, only the rows that can be seen are in the page, and the last is reached', async () => {
  const { batchId } = await createBatch(Array.from({ length: 260 }, (_, index) => `reject-many-${index}`));
  const { page } = await openAs(operator, `/fleet/${batchId}`);
  await ended(page, 260);
  const list = page.getByRole('region', { name: 'Failed commands' });
  await expect
    .poll(async () => {
      await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
      return list.getByRole('link', { name: 'reject-many-259' }).count();
    })
    .toBe(1);
  await page.getByText('260 shown').waitFor();
  expect(await list.getByRole('row').count()).toBeLessThan(100);
});

test('the marks of a plot of seconds count from its start: they do not look like a time of day', async () => {
  const { batchId } = await createBatch(['ok-7', 'fail-7']);
  const { page } = await openAs(operator, '/');
  await page.evaluate(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      document.documentElement.dataset.drawn = `${document.documentElement.dataset.drawn ?? ''}|${text}`;
      return fillText.call(this, text, ...place);
    };
  });
  await goTo(page, `/fleet/${batchId}`);
  await ended(page, 2);
  await page.getByRole('img', { name: 'Ended 2' }).waitFor();
  await expect
    .poll(() => page.evaluate(() => document.documentElement.dataset.drawn))
    .toMatch(/\|\+(\d+\.\d+|[1-9]) s\|/);
  expect(await page.evaluate(() => document.documentElement.dataset.drawn)).not.toContain(':');
});

test('the failed ones are a file that topctl sends, and that creates nothing twice', async () => {
  const devices = ['fail-2', 'reject-2', 'unreachable-2', 'ok-2', 'offline-2', 'unreachable-3'];
  const { batchId, results } = await createBatch(devices, { timeout_seconds: 277 });
  const command_id = results[4]?.accepted?.command_id ?? '';
  await tell(command_id, { device_execution_status: 'IN_PROGRESS' });
  await expect.poll(async () => (await client.commands.get(command_id)).history.at(-1)?.source).toBe('DEVICE');
  // Its device may have executed it.
  await tell(command_id, { adapter_status: 'FAILED' });
  const late_id = results[5]?.accepted?.command_id ?? '';
  await expect.poll(async () => (await client.commands.get(late_id)).status).toBe('FAILED');
  // Another process did reach it. Its first report says nothing of the device.
  await tell(late_id, { adapter_status: 'FAILED' });
  await tell(late_id, { device_execution_status: 'SUCCEEDED' });
  await expect.poll(async () => (await client.commands.get(late_id)).history.at(-1)?.source).toBe('DEVICE');
  const { page, faults } = await openAs(operator, `/fleet/${batchId}`);
  await ended(page, 6);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the 5 failed commands' }).click(),
  ]);
  await page.getByRole('status').getByText(`Saved 3 commands as failed-${batchId}.ndjson.`).waitFor();
  await page
    .getByRole('status')
    .getByText('2 commands are left out, because a device may have executed them.')
    .waitFor();
  await page.getByText(`topctl commands create-many --from failed-${batchId}.ndjson`).waitFor();
  expect(download.suggestedFilename()).toBe(`failed-${batchId}.ndjson`);
  const folder = temporaryFolder();
  const file = join(folder, 'failed.ndjson');
  await download.saveAs(file);
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ device_id }) => device_id).sort()).toEqual(['fail-2', 'reject-2', 'unreachable-2']);
  expect(lines[0]).toMatchObject({ vendor: 'vendor_a', payload: { power: 'on' }, timeout_seconds: 277 });
  const failed = results.filter(({ command }) => !['ok-2', 'offline-2', 'unreachable-3'].includes(command.device_id));
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
  const devices = Array.from({ length: 1_001 }, (_, index) => `${index === 600 ? 'offline' : 'ok'}-many-${index}`);
  const { batchId, results } = await createBatch(devices, { timeout_seconds: 300 });
  const open = results[600]?.accepted?.command_id ?? '';
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
  await tell(open, { device_execution_status: 'SUCCEEDED' });
  await client.commands.wait(open);
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
    const message = page.getByText('The simulated device failed.');
    const { x = 0, width = 0 } = (await message.boundingBox()) ?? {};
    expect(x + width).toBeLessThan(device.viewport.width);
    const accent = await page.locator('progress').evaluate((bar) => getComputedStyle(bar).accentColor);
    expect(accent).toBe(
      await page
        .locator('main a')
        .first()
        .evaluate((link) => getComputedStyle(link).color),
    );
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(device.viewport.width);
  });
});
