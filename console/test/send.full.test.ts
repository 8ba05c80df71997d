import { randomUUID } from 'node:crypto';
import { createCredential, createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { findings } from '@tenant-open-platform/testing/accessibility';
import { useBrowser } from '@tenant-open-platform/testing/browser';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openAs } from './console.js';

useBrowser();

const tenant = await createTenant();
const sender = await createCredential(tenant.tenant_id, { role: 'integration_operator' });
const COMMANDS = '/api/v1/open/downlink/commands';

/** Markup, a change of direction, a zero-width character, and more than a line. */
const HOSTILE = `<img src=x onerror=alert(1)> \u202egnirts\u202c \u200b "'&lt; [link](javascript:alert(1)) ${'long '.repeat(30)}`;

/** A command type of its own for `schema`, of the vendor whose devices are simulated. */
async function addType(schema: object, description = 'Of a test.'): Promise<string> {
  const name = `t-${randomUUID()}`;
  const target = `/api/v1/platform/catalog/vendors/vendor_a/command-types/${name}`;
  const body = { description, payload_schema: schema, enabled: true };
  const { status } = await signedRequest(platform().admin, 'PUT', target, { body });
  expect(status).toBe(200);
  return name;
}

async function choose(page: Page, type: string, devices: string): Promise<void> {
  await page.getByLabel('Vendor').selectOption('vendor_a');
  await page.getByLabel('Command type').selectOption(type);
  await page.getByLabel('Device ids, one a line').fill(devices);
}

const review = (page: Page) => page.getByRole('button', { name: 'Show what would be sent' }).click();
const shownBody = async (page: Page) => JSON.parse((await page.getByRole('dialog').locator('pre').textContent()) ?? '');
const asText = (page: Page) => page.getByLabel('Payload as JSON');

async function commandsOf(deviceId: string): Promise<Record<string, unknown>[]> {
  const { body } = await signedRequest(sender, 'GET', `${COMMANDS}?device_id=${encodeURIComponent(deviceId)}`);
  return body.items;
}

test('a command is sent from the form, as it was shown, and its page follows it to the outcome', async () => {
  const { page, faults } = await openAs(sender, '/send');
  await choose(page, 'set_temperature', 'ok-form');
  await page.getByLabel(/^celsius/).fill('21.5');
  expect(JSON.parse(await asText(page).inputValue())).toEqual({ celsius: 21.5 });
  await page.getByLabel('Timeout in seconds').fill('60');
  await review(page);
  const body = await shownBody(page);
  expect(body).toEqual({
    vendor: 'vendor_a',
    device_id: 'ok-form',
    command_type: 'set_temperature',
    payload: { celsius: 21.5 },
    timeout_seconds: 60,
    idempotency_key: expect.any(String),
  });
  expect(await commandsOf('ok-form')).toEqual([]);
  await page.getByRole('button', { name: 'Send this command' }).click();
  await page.waitForURL((url) => url.hash.startsWith('#/commands/'));
  await page.locator('.title .status', { hasText: 'SUCCEEDED' }).waitFor();
  expect(await commandsOf('ok-form')).toMatchObject([body]);
  expect(faults).toEqual([]);
});

test('what is written as JSON is in the form, and the reverse', async () => {
  const type = await addType({
    properties: {
      power: { enum: ['on', 'off'] },
      force: { type: 'boolean', default: true },
      tags: { type: 'array', items: { type: 'string' } },
      place: { properties: { room: { type: 'string' } }, required: ['room'] },
      two: { type: 'array', minItems: 2, items: { type: 'string' } },
    },
    required: ['two', 'place'],
  });
  const { page, faults } = await openAs(sender, '/send');
  await choose(page, type, 'ok-1');
  const payload = async () => JSON.parse(await asText(page).inputValue());
  expect(await payload()).toEqual({ force: true });
  await asText(page).fill('{"power":"off","other":[1]}');
  expect(await page.getByLabel('power', { exact: true }).locator('option:checked').textContent()).toBe('off');
  // The form adds nothing to what was written.
  expect(await payload()).toEqual({ power: 'off', other: [1] });
  await page.getByRole('button', { name: 'Add' }).first().click();
  await page.getByLabel('tags-1').fill('a');
  await page.getByLabel('room').fill('hall');
  await page.getByLabel('force').selectOption({ label: 'false' });
  await page.getByLabel('power', { exact: true }).selectOption('');
  expect(await payload()).toEqual({ other: [1], tags: ['a'], place: { room: 'hall' }, force: false });
  await asText(page).fill('{"power":');
  await page.getByText('This is not JSON.').waitFor();
  await review(page);
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a payload that the schema refuses is named before anything is sent, and the platform decides', async () => {
  const { page } = await openAs(sender, '/send');
  await choose(page, 'set_temperature', 'ok-too-hot');
  await page.getByLabel(/^celsius/).fill('40');
  await review(page);
  const problem = page.getByRole('alert').filter({ hasText: '1 part of the payload may not be valid' });
  await problem.getByText('payload/celsius').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Show it all the same' }).click();
  await page.getByRole('button', { name: 'Send this command' }).click();
  await page.getByRole('alert').getByText('The payload is not valid').waitFor();
  await page.getByText('body/payload/celsius').waitFor();
  expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Outcome');
  expect(await commandsOf('ok-too-hot')).toEqual([]);
  // What was filled in is still there.
  await page.getByRole('button', { name: 'Change the command' }).click();
  await page.getByLabel(/^celsius/).fill('20');
  await problem.waitFor({ state: 'detached' });
  await review(page);
  expect((await shownBody(page)).payload).toEqual({ celsius: 20 });
});

test('a pattern is checked as the platform does, in the same words, and does not stop the page', async () => {
  const type = await addType({
    properties: { version: { type: 'string', pattern: '^(a+)+$' } },
    required: ['version'],
  });
  const { page } = await openAs(sender, '/send');
  await choose(page, type, 'ok-pattern');
  await page.getByLabel('version').fill(`${'a'.repeat(40)}!`);
  await review(page);
  const message = 'must match ^(a+)+$';
  await page.getByRole('alert').filter({ hasText: 'payload/version' }).getByText(message).waitFor();
  await page.getByRole('button', { name: 'Show it all the same' }).click();
  await page.getByRole('button', { name: 'Send this command' }).click();
  await page.getByText('body/payload/version').waitFor();
  await page.getByRole('alert').getByText('The payload is not valid').waitFor();
});

test('a schema without fields, and one of alternatives, have the JSON alone', async () => {
  const alternatives = await addType({ oneOf: [{ required: ['a'] }, { required: ['b'] }] });
  const { page } = await openAs(sender, '/send');
  for (const type of ['reboot', alternatives]) {
    await choose(page, type, 'ok-1');
    await page.getByText('names no field').waitFor();
    expect(await page.locator('.payload-form').count()).toBe(0);
  }
  await asText(page).fill('{"a": "x"}');
  await review(page);
  expect((await shownBody(page)).payload).toEqual({ a: 'x' });
});

test.each([
  ['a command', ['ok-lost'], COMMANDS, 'The answer to this command was lost'],
  [
    'a batch',
    ['ok-lost-1', 'ok-lost-2'],
    '/api/v1/open/downlink/command-batches',
    'The answers to 2 commands were lost',
  ],
])(
  'that the answer to %s was lost is said, and the same again creates nothing twice',
  async (_, devices, path, said) => {
    const { page } = await openAs(sender, '/send');
    await choose(page, 'reboot', devices.join('\n'));
    // The platform gets each request, and the page no answer.
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    await review(page);
    await page.getByRole('button', { name: /^Send (this command|2 commands)$/ }).click();
    await page.getByRole('alert').getByText(said).waitFor();
    await page.unroute(`**${path}`);
    await page.getByRole('button', { name: 'Send again with the same keys' }).click();
    await page.waitForURL((url) => /^#\/(commands|fleet)\//.test(url.hash));
    for (const device of devices) expect(await commandsOf(device)).toHaveLength(1);
  },
);

test('devices from a file are sent as one batch; what the platform refuses is named, and the others are shown', async () => {
  const { page, faults } = await openAs(sender, '/send');
  await choose(page, 'reboot', 'pasted-1, pasted-2\npasted-1');
  await page.getByText('2 devices').waitFor();
  await page.getByText('1 repeated id was left out.').waitFor();
  await page.getByText('1 line was split at its commas.').waitFor();
  const long = 'x'.repeat(129);
  const buffer = Buffer.from(`device_id,place\nok-file-1,hall\nok-file-2,"a\nb"\n${long},\nok-file-1,\n`);
  await page.getByLabel('from a file').setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
  await page.getByText('3 devices').waitFor();
  await review(page);
  const body = await shownBody(page);
  expect(body.commands.map(({ device_id }: { device_id: string }) => device_id)).toEqual([
    'ok-file-1',
    'ok-file-2',
    long,
  ]);
  await page.getByRole('button', { name: 'Send 3 commands' }).click();
  await page.getByText('Of 3 commands: 2 accepted, 1 refused, 0 open.').waitFor();
  const refused = page.getByRole('row', { name: /VALIDATION_FAILED/ });
  expect(await refused.textContent()).toContain('body/device_id');
  await page.getByRole('link', { name: 'Show the accepted commands of this batch' }).click();
  await page.waitForURL((url) => url.hash === `#/fleet/${body.batch_id}`);
  await page.getByText('2 of 2 commands have ended').waitFor();
  // The platform refuses the request, and the client sends it again without the command that is not valid.
  expect(faults).toEqual([expect.stringContaining('400 (Bad Request)')]);
});

test('what a device list or a schema says is text: no element, no request, no change of direction outside', async () => {
  const type = await addType({
    title: HOSTILE,
    description: HOSTILE,
    properties: {
      a: { type: 'string', title: HOSTILE, description: HOSTILE },
      b: { enum: [HOSTILE], title: 'b' },
      [`<b>${'p'.repeat(60)}`]: { type: 'array', items: { type: 'number', title: HOSTILE } },
      constructor: { type: 'object', properties: { toString: { type: 'string' } } },
    },
    required: ['a', 'constructor'],
  });
  const { page, faults } = await openAs(sender, '/send');
  const device = 'ok-<img src=x onerror=alert(1)>"\'&amp;';
  await choose(page, type, device);
  const form = page.locator('.payload-form');
  await form.getByText('<img src=x').first().waitFor();
  expect(await form.locator('legend').first().locator('bdi').textContent()).toBe(HOSTILE);
  expect(
    await form
      .locator('.about bdi')
      .first()
      .evaluate((element) => getComputedStyle(element).unicodeBidi),
  ).toBe('isolate');
  await form.getByLabel('<img src=x').first().fill(HOSTILE);
  await page.getByLabel('b', { exact: true }).selectOption(HOSTILE);
  await form.getByLabel('toString').fill('x');
  await form.getByRole('button', { name: 'Add' }).click();
  await review(page);
  await page.getByRole('alert').getByText('payload/<b>ppp').waitFor();
  await form.getByRole('button', { name: 'Remove' }).click();
  await review(page);
  expect(await shownBody(page)).toMatchObject({
    device_id: device,
    payload: { a: HOSTILE, b: HOSTILE, constructor: { toString: 'x' } },
  });
  await page.getByRole('button', { name: 'Send this command' }).click();
  await page.locator('.title .status', { hasText: 'SUCCEEDED' }).waitFor();
  expect(await page.locator('img, b').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a credential that may not send learns it before it fills anything in', async () => {
  const { page } = await openAs(tenant.reader, '/send');
  const refusal = page.getByRole('alert');
  await refusal.getByText('lacks the scope open:command:create').waitFor();
  await refusal.getByText('Ask an administrator of your tenant').waitFor();
  expect(await page.getByRole('form').count()).toBe(0);
});

describe.each([
  ['a phone, dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ['a desktop, light', { viewport: { width: 1_280, height: 860 }, colorScheme: 'light' }],
  ['a wall, light', { viewport: { width: 2_560, height: 1_400 }, colorScheme: 'light' }],
] as const)('on %s', (_, device) => {
  test('nothing keeps a reader from the form, its faults, the request and the refusals', async () => {
    const type = await addType({
      title: HOSTILE,
      properties: {
        text: { type: 'string', title: HOSTILE, description: HOSTILE },
        level: { type: 'integer', minimum: 1 },
        list: { type: 'array', items: { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } } },
      },
      required: ['text'],
    });
    const { page } = await openAs(sender, '/send', { ...device, bypassCSP: true });
    const found: Record<string, string[]> = {};
    async function look(name: string) {
      found[name] = await findings(page);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > device.viewport.width) found[name]?.push(`${width} px wide`);
    }
    await look('empty');
    await choose(page, type, `ok-1\n${'x'.repeat(129)}`);
    await page.getByLabel('level').fill('0');
    await page.getByRole('button', { name: 'Add' }).click();
    await review(page);
    await page.getByRole('alert').getByText('may not be valid').waitFor();
    await look('faults');
    await page.getByRole('button', { name: 'Show it all the same' }).click();
    await page.getByRole('dialog').waitFor();
    await look('request');
    await page.getByRole('button', { name: 'Send 2 commands' }).click();
    await page.getByText('Of 2 commands').waitFor();
    await look('refusals');
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
  });
});
