import { randomUUID } from 'node:crypto';
import { connect } from '@nats-io/transport-node';
import { subjects } from '@tenant-open-platform/contract/bus';
import { createCredential, createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { findings } from '@tenant-open-platform/testing/accessibility';
import { useBrowser } from '@tenant-open-platform/testing/browser';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { goTo, open, openAs, signIn } from './console.js';

useBrowser();

const tenant = await createTenant();
/** It may call everything that the pages show. */
const reader = await createCredential(tenant.tenant_id, { role: 'integration_operator' });
const target = `/api/v1/platform/tenants/${tenant.tenant_id}`;
const asAdmin = (method: string, path: string, body: object) => signedRequest(platform().admin, method, path, { body });
await asAdmin('POST', `${target}/role-bindings`, { client_id: reader.client_id, role: 'tenant_admin' });
await asAdmin('POST', `${target}/policies`, { client_id: reader.client_id, scope: 'open:device-request:create' });

/** Markup, a change of direction, a zero-width character, and more than a screen. */
const HOSTILE = `<img src=x onerror=alert(1)> \u202egnirts\u202c \u200b "'&lt; ${'long '.repeat(60)}`;

async function create(body: object): Promise<string> {
  const command = { vendor: 'vendor_a', command_type: 'reboot', payload: {}, idempotency_key: randomUUID(), ...body };
  const answer = await signedRequest(tenant.operator, 'POST', '/api/v1/open/downlink/commands', { body: command });
  expect(answer.status).toBe(202);
  return answer.body.command_id;
}

/** What a block of JSON shows. */
const jsonOf = async (block: Locator) => JSON.parse((await block.textContent()) ?? '');

const status = (page: Page, name: string) => page.locator('.title .status', { hasText: name });

test('a command appears in the open list, and its page follows it to the outcome', async () => {
  const { page, faults } = await openAs(reader, '/commands');
  await page.getByText('Live', { exact: true }).waitFor();
  await create({ device_id: 'ok-1' });
  const row = page.getByRole('row', { name: /ok-1/ });
  await row.getByText('SUCCEEDED').waitFor();
  // Its device goes on when the page shows what it has told.
  const command_id = await create({ device_id: 'offline-followed', timeout_seconds: 300 });
  await goTo(page, `/commands/${command_id}`);
  await status(page, 'DISPATCHED').waitFor();
  const bus = await connect({ servers: platform().natsUrl as string });
  onTestFinished(() => bus.close());
  const tell = (update: object) =>
    bus.publish(subjects.commandUpdate(tenant.tenant_id, 'vendor_a'), JSON.stringify({ command_id, ...update }));
  tell({ adapter_status: 'DELIVERED', device_execution_status: 'IN_PROGRESS' });
  // The adapter's own word stands in its lane, also if the device's word came with it.
  await page.locator('.timeline').getByText('DELIVERED', { exact: true }).waitFor();
  tell({ device_execution_status: 'SUCCEEDED' });
  await status(page, 'SUCCEEDED').waitFor();
  await expect(page.locator('.timeline').textContent()).resolves.toMatch(/ACCEPTED[\s\S]*DISPATCHED[\s\S]*SUCCEEDED/);
  expect(faults).toEqual([]);
});

test('a failed command says why, and is sent again under a new key that is shown first', async () => {
  const failed = await create({ device_id: 'fail-1' });
  const { page } = await openAs(reader, `/commands/${failed}`);
  await status(page, 'FAILED').waitFor();
  await page.locator('.reason').getByText('DEVICE_FAULT').waitFor();
  await page.getByRole('button', { name: 'Send again' }).click();
  const request = await jsonOf(page.getByRole('dialog').locator('pre'));
  expect(request).toMatchObject({ device_id: 'fail-1', command_type: 'reboot', payload: {} });
  await page.getByRole('button', { name: 'Send this command' }).click();
  await page.waitForURL((url) => url.hash.startsWith('#/commands/') && !url.hash.includes(failed));
  await page.getByText(request.idempotency_key).waitFor();
});

/** The page sees this command as it was before it was sent: the platform of the tests sends at once. */
const showAsAccepted = (page: Page, command: string) =>
  page.route(`**/open/downlink/commands/${command}*`, async (route) => {
    // Nothing has changed yet.
    if (route.request().url().includes('wait_seconds')) return;
    const response = await route.fetch();
    const waiting = { status: 'ACCEPTED', completed_at: null, dispatched_at: null, status_reason: null };
    await route.fulfill({ response, json: { ...(await response.json()), ...waiting } });
  });

test('a command that was never sent is canceled, and the page says why not if it was sent meanwhile', async () => {
  const command = await create({ device_id: 'offline-cancel', timeout_seconds: 60 });
  const { page } = await open('/commands');
  await showAsAccepted(page, command);
  await signIn(page, reader);
  await goTo(page, `/commands/${command}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page
    .getByRole('alert')
    .getByText(/cancel/)
    .waitFor();
});

test('every page says the zone of its times, and details have the date of today also', async () => {
  const { page } = await openAs(reader, '/commands', { timezoneId: 'Asia/Kathmandu', locale: 'en-GB' });
  await page.getByRole('banner').getByText('Times in Asia/K').waitFor();
  await goTo(page, `/commands/${await create({ device_id: 'ok-dated' })}`);
  const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'Asia/Kathmandu' }).format();
  const accepted = page.locator('.timeline time').first();
  expect(await accepted.textContent()).toContain(today);
  expect(await accepted.getAttribute('title')).toMatch(/Z$/);
  for (const name of ['accepted_at', 'deadline_at']) {
    expect(await page.locator('dl > div', { hasText: name }).textContent()).toContain(today);
  }
});

test('the filters are in the address, and the address filters', async () => {
  await create({ device_id: 'ok-filtered' });
  await create({ device_id: 'fail-filtered' });
  const { page } = await openAs(reader, '/commands?status=FAILED&device_id=fail-filtered');
  await page.getByRole('row', { name: /fail-filtered/ }).waitFor();
  expect(await page.getByRole('row', { name: /ok-filtered/ }).count()).toBe(0);
  await page.getByRole('checkbox', { name: 'FAILED' }).uncheck();
  await page.getByLabel('Device', { exact: true }).fill('ok-filtered');
  await page.getByLabel('Device', { exact: true }).press('Enter');
  await page.getByRole('row', { name: /ok-filtered/ }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/commands?device_id=ok-filtered');
  await page.getByLabel('Device', { exact: true }).fill('');
  await page.getByLabel('Reason', { exact: true }).fill('DEVICE_FAULT');
  await page.getByLabel('Reason', { exact: true }).press('Enter');
  await page.getByRole('row', { name: /fail-filtered/ }).waitFor();
  expect(await page.getByRole('row', { name: /ok-filtered/ }).count()).toBe(0);
  expect(new URL(page.url()).hash).toBe('#/commands?reason=DEVICE_FAULT');
});

test('what a device or an adapter wrote is text: no element, no request, no change of direction around it', async () => {
  const command = await create({ device_id: 'offline-1', timeout_seconds: 300 });
  const bus = await connect({ servers: platform().natsUrl as string });
  onTestFinished(() => bus.close());
  const read = () => signedRequest(tenant.operator, 'GET', `/api/v1/open/downlink/commands/${command}`);
  await expect.poll(async () => (await read()).body.status).toBe('DISPATCHED');
  const publish = (subject: string, message: object) => bus.publish(subject, JSON.stringify(message));
  publish(subjects.commandUpdate(tenant.tenant_id, 'vendor_a'), {
    command_id: command,
    device_execution_status: 'FAILED',
    status_reason: { code: 'BROKEN', message: HOSTILE },
    result: { [HOSTILE]: HOSTILE },
  });
  publish(subjects.deviceRequest(tenant.tenant_id, 'vendor_a'), {
    dedupe_id: randomUUID(),
    device_id: 'ok-1',
    request_type: 'hostile_check',
    payload: { text: HOSTILE },
  });
  const { page, faults } = await openAs(reader, `/commands/${command}`);
  await status(page, 'FAILED').waitFor();
  const said = page.locator('.reason').getByText('<img src=x');
  expect(await said.textContent()).toBe(HOSTILE);
  expect(await said.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe('isolate');
  expect(await jsonOf(page.getByRole('region', { name: 'Result', exact: true }))).toEqual({
    [HOSTILE]: HOSTILE,
  });
  await goTo(page, '/device-requests');
  await page
    .getByRole('row', { name: /hostile_check/ })
    .getByRole('link')
    .click();
  const asked = page.getByRole('region', { name: 'Request', exact: true });
  expect(await jsonOf(asked)).toEqual({ text: HOSTILE });
  expect(await page.locator('img').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a request of a device is answered', async () => {
  const bus = await connect({ servers: platform().natsUrl as string });
  onTestFinished(() => bus.close());
  const { page } = await openAs(reader, '/device-requests');
  await page.getByText('Live', { exact: true }).waitFor();
  const request = { dedupe_id: randomUUID(), device_id: 'asking-1', request_type: 'config', payload: { page: 1 } };
  bus.publish(subjects.deviceRequest(tenant.tenant_id, 'vendor_a'), JSON.stringify(request));
  await page
    .getByRole('row', { name: /asking-1/ })
    .getByRole('link')
    .click();
  await page.getByLabel('Data for the device').fill('[1]');
  await page.getByRole('button', { name: 'Send the reply' }).click();
  await page.getByText('This is not a JSON object.').waitFor();
  await page.getByLabel('Data for the device').fill('{"interval":60}');
  await page.getByRole('button', { name: 'Send the reply' }).click();
  await status(page, 'REPLIED').waitFor();
  const reply = await jsonOf(page.getByRole('region', { name: 'Reply' }));
  expect(reply).toMatchObject({
    outcome: 'SUCCESS',
    payload: { interval: 60 },
    replied_by_client_id: reader.client_id,
  });
});

test('a request that is answered elsewhere leaves the list by itself', async () => {
  const bus = await connect({ servers: platform().natsUrl as string });
  onTestFinished(() => bus.close());
  const requests = '/api/v1/open/device-requests';
  for (const device_id of ['waiting-1', 'waiting-2']) {
    const request = { dedupe_id: randomUUID(), device_id, request_type: 'config', payload: {} };
    bus.publish(subjects.deviceRequest(tenant.tenant_id, 'vendor_a'), JSON.stringify(request));
  }
  const asked = await signedRequest(reader, 'GET', `${requests}?device_id=waiting-1&wait_seconds=30`);
  const { page, faults } = await openAs(reader, '/device-requests');
  const [first, second] = ['waiting-1', 'waiting-2'].map((name) => page.getByRole('row', { name: new RegExp(name) }));
  await first?.waitFor();
  await second?.waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const target = `${requests}/${asked.body.items[0].device_request_id}/reply`;
  expect((await signedRequest(reader, 'POST', target, { body: { outcome: 'SUCCESS' } })).status).toBe(200);
  await first?.waitFor({ state: 'detached' });
  expect(await second?.count()).toBe(1);
  expect(faults).toEqual([]);
});

test('after more replies than a page of the list, the list waits again and asks for nothing', async () => {
  const own = await createTenant();
  await asAdmin('POST', `/api/v1/platform/tenants/${own.tenant_id}/policies`, {
    client_id: own.operator.client_id,
    scope: 'open:device-request:create',
  });
  const bus = await connect({ servers: platform().natsUrl as string });
  onTestFinished(() => bus.close());
  const requests = '/api/v1/open/device-requests';
  for (let number = 0; number < 105; number++) {
    const request = { dedupe_id: randomUUID(), device_id: `d-${number}`, request_type: 'config', payload: {} };
    bus.publish(subjects.deviceRequest(own.tenant_id, 'vendor_a'), JSON.stringify(request));
  }
  const read = async () => (await signedRequest(own.operator, 'GET', `${requests}?limit=200`)).body.items;
  await expect.poll(async () => (await read()).length).toBe(105);
  // The newest first, as the list has them: the position at which the page begins is before all other replies.
  for (const { device_request_id } of await read()) {
    const body = { outcome: 'SUCCESS' };
    await signedRequest(own.operator, 'POST', `${requests}/${device_request_id}/reply`, { body });
  }
  const replies = (await read()).map(({ reply }: { reply: { replied_at: string } }) => Date.parse(reply.replied_at));
  const { page } = await open('/device-requests?status=ALL');
  const sent: URLSearchParams[] = [];
  page.on('request', (request) => sent.push(new URL(request.url()).searchParams));
  const waits = (query: URLSearchParams) => query.get('wait_seconds') === '30';
  const isAfterAllReplies = (query: URLSearchParams) =>
    waits(query) && Date.parse(query.get('changed_after') ?? '') > Math.max(...replies);
  await page.clock.install();
  await page.reload();
  await signIn(page, own.operator);
  await page.getByText('Live', { exact: true }).waitFor();
  await expect
    .poll(async () => {
      await page.clock.runFor('00:01');
      return sent.some(isAfterAllReplies);
    })
    .toBe(true);
  sent.length = 0;
  await page.clock.runFor('02:00');
  expect(sent.filter((query) => !waits(query)).map(String)).toEqual([]);
});

test('a message that was parked shows its reason, and is deleted for good after a question', async () => {
  const bus = await connect({ servers: platform().natsUrl as string });
  onTestFinished(() => bus.close());
  bus.publish(subjects.commandUpdate(tenant.tenant_id, 'vendor_a'), '<b>no JSON</b>');
  const { page } = await openAs(reader, '/parked-messages');
  const link = page.getByRole('row', { name: /COMMAND_UPDATE/ }).getByRole('link');
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Read again' }).click();
      return link.count();
    })
    .toBe(1);
  await link.click();
  await page.getByText('<b>no JSON</b>').waitFor();
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('No message is parked.').waitFor();
});

test('the rights of a credential are listed, each with who granted it, from where, and its audit event', async () => {
  const { client_id } = tenant.reader;
  const { page } = await openAs(reader, '/access');
  await page.getByRole('link', { name: client_id, exact: true }).click();
  const right = page.getByRole('row', { name: /^role / }).first();
  await right.getByText('127.0.0.1').waitFor();
  await right.getByRole('link', { name: platform().admin.client_id }).click();
  await page.getByRole('cell', { name: 'roleBindings.create' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
});

test('the audit log is filtered by time, a row says which right a policy gave, and the focus stays in its field', async () => {
  const { page } = await openAs(reader, '/audit');
  const policy = page.getByRole('cell', {
    name: `policies: open:device-request:create → ${reader.client_id}`,
    exact: true,
  });
  await policy.waitFor();
  const operation = page.getByLabel('Operation', { exact: true });
  await operation.fill('policies.create');
  await operation.press('Enter');
  await expect.poll(() => page.getByRole('cell', { name: 'roleBindings.create' }).count()).toBe(0);
  await policy.waitFor();
  expect(await operation.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByLabel('Before', { exact: true }).fill('2026-01-31T09:30:00');
  await operation.press('Enter');
  await page.getByText('No audit event matches.').waitFor();
});

test('whether a credential may call an operation is said, with the roles that would grant it', async () => {
  const { client_id } = tenant.reader;
  const { page } = await openAs(reader, '/access');
  await page.getByLabel('Client id').fill(client_id);
  await page.getByLabel('Operation', { exact: true }).fill('commands.create');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText(`${client_id} may not call commands.create.`).waitFor();
  await page.getByText('open:command:create is granted by: integration_operator.').waitFor();
});

test('rights that were revoked elsewhere are gone when the reader asks again', async () => {
  const held = await createCredential(tenant.tenant_id, { role: 'integration_reader' });
  const { page } = await openAs(reader, `/access?client_id=${held.client_id}`);
  const right = page.getByRole('row', { name: /^role integration_reader/ });
  for (const button of ['Check', 'Read again']) {
    await right.waitFor();
    await signedRequest(platform().admin, 'DELETE', `${target}/role-bindings/${held.client_id}/integration_reader`);
    await page.getByRole('button', { name: button }).click();
    await page.getByText('It has no role and no policy').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await asAdmin('POST', `${target}/role-bindings`, { client_id: held.client_id, role: 'integration_reader' });
    await page.getByRole('button', { name: 'Read again' }).click();
  }
});

test('of another tenant, an administrator of a tenant is not told that a scope is missing', async () => {
  const { page } = await openAs(reader, '/access?tenant=platform');
  await page.getByText(`${reader.client_id} belongs to the tenant ${tenant.tenant_id}.`).waitFor();
});

test('without the right to read the audit log, the rights are listed without who granted them', async () => {
  const only = await createCredential(tenant.tenant_id);
  for (const scope of ['platform:credential:read', 'platform:access:read']) {
    await asAdmin('POST', `${target}/policies`, { client_id: only.client_id, scope });
  }
  const { page } = await openAs(only, `/access?client_id=${only.client_id}`);
  const right = page.getByRole('row', { name: /^scope platform:access:read/ });
  await right.getByText('Needs the scope platform:audit:read').waitFor();
});

test('the audit log keeps the focus while it is filtered, and gives it back after a dialog', async () => {
  const { page } = await openAs(reader, '/audit');
  await page.getByLabel('Operation', { exact: true }).fill('roleBindings.create');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.hash.includes('operation=roleBindings.create'));
  const show = page.getByRole('row', { name: new RegExp(reader.client_id) }).getByRole('button');
  await show.first().waitFor();
  await page.keyboard.type('s');
  expect(await page.getByLabel('Operation', { exact: true }).inputValue()).toBe('roleBindings.creates');
  await show.first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'roleBindings.create' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(await focused(page)).toBe('Show');
});

test('a platform administrator chooses the tenant, and sees no commands of it', async () => {
  const { page } = await openAs(platform().admin, '/access');
  await page.getByLabel('Tenant', { exact: true }).fill(tenant.tenant_id);
  await page.getByRole('button', { name: 'Show this tenant' }).click();
  await page.getByText(tenant.operator.client_id).first().waitFor();
  await page.getByRole('link', { name: 'Commands' }).click();
  await page.getByRole('alert').getByText('lacks the scope open:command:read').waitFor();
});

const everyPage = [
  ['/commands', 'Commands'],
  ['/events', 'Events'],
  ['/device-requests', 'Device requests'],
  ['/parked-messages', 'Parked messages'],
  ['/access', 'Access'],
  ['/audit', 'Audit log'],
] as const;

test('the built-in role support_reader reads every page, and may send, answer and delete nothing', async () => {
  const support = await createCredential(tenant.tenant_id, { role: 'support_reader' });
  const command = await create({ device_id: 'fail-3' });
  const { page, faults } = await openAs(support, '/');
  for (const [path, heading] of [['/', 'Overview'], ...everyPage, [`/commands/${command}`, /fail-3/]] as const) {
    await goTo(page, path);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await expect.poll(() => page.getByText('Reading …').count()).toBe(0);
    const lacking = page.getByText(/(needs|lacks) the scope|Not shown/i);
    expect([path, await page.getByRole('alert').count(), await lacking.count()]).toEqual([path, 0, 0]);
  }
  await status(page, 'FAILED').waitFor();
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  await goTo(page, '/send');
  await page.getByRole('alert').getByText('lacks the scope open:command:create').waitFor();
  const waiting = await create({ device_id: 'ok-4' });
  await showAsAccepted(page, waiting);
  await goTo(page, `/commands/${waiting}`);
  await status(page, 'ACCEPTED').waitFor();
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  const bus = await connect({ servers: platform().natsUrl as string });
  onTestFinished(() => bus.close());
  bus.publish(subjects.commandUpdate(tenant.tenant_id, 'vendor_b'), 'parked for support');
  const parked = `${target}/parked-messages?vendor=vendor_b`;
  const read = async () => (await signedRequest(reader, 'GET', parked)).body.items[0]?.parked_message_id;
  await expect.poll(read).toBeDefined();
  await goTo(page, `/parked-messages/${await read()}`);
  await page.getByText('parked for support').waitFor();
  expect(await page.getByRole('button', { name: /Delete|again/ }).allTextContents()).toEqual(['Read again']);
  expect(faults).toEqual([]);
});

describe.each([
  ['a phone, dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ['a desktop, light', { viewport: { width: 1_280, height: 860 }, colorScheme: 'light' }],
  ['a wall, light', { viewport: { width: 2_560, height: 1_400 }, colorScheme: 'light' }],
] as const)('on %s', (_, device) => {
  test('nothing keeps a reader from any page, and none is wider than the screen', async () => {
    const command = await create({ device_id: 'fail-2' });
    const { page, faults } = await open('/commands', { ...device, bypassCSP: true });
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.title()).toBe('Sign in · Console · Tenant Open Platform');
    const found: Record<string, string[]> = { signIn: await findings(page) };
    await signIn(page, reader);
    for (const [path, heading] of [...everyPage, [`/commands/${command}`, /fail-2/] as const]) {
      await goTo(page, `${path}`);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await expect.poll(() => page.getByText('Reading …').count()).toBe(0);
      const title = typeof heading === 'string' ? heading : 'Command';
      expect(await page.title()).toBe(`${title} · Console · Tenant Open Platform`);
      found[path] = await findings(page);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > device.viewport.width) found[path]?.push(`${width} px wide`);
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((path) => [path, []])));
    expect(faults).toEqual([]);
  });
});

test('everything is reached with the keyboard, the content first', async () => {
  const command = await create({ device_id: 'ok-3' });
  const { page } = await openAs(reader, '/commands');
  await page.getByRole('row', { name: /ok-3/ }).waitFor();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  await page.getByRole('region', { name: 'Commands' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.hash.includes(command));
});

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);
