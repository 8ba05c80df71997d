import { createCredential, createTenant, platform, signedRequest, startNode } from '@tenant-open-platform/testing';
import { newPage, useBrowser } from '@tenant-open-platform/testing/browser';
import { freePort } from '@tenant-open-platform/testing/free-port';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { open, openAs, signIn } from './console.js';

useBrowser();

const tenant = await createTenant();
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test('after the sign-in, neither storage nor the memory of the page has the secret', async () => {
  const { page, faults } = await openAs(tenant.operator, '/commands');
  await heading(page, 'Commands').waitFor();
  const stored = await page.evaluate(async () => ({
    local: localStorage.length,
    session: sessionStorage.length,
    databases: (await indexedDB.databases()).length,
    caches: (await caches.keys()).length,
    cookies: document.cookie,
  }));
  expect(stored).toEqual({ local: 0, session: 0, databases: 0, caches: 0, cookies: '' });
  expect(await page.context().cookies()).toEqual([]);
  expect(await memoryOf(page)).not.toContain(tenant.operator.secret);
  expect(faults).toEqual([]);
});

/** All that JavaScript of the page can reach. */
async function memoryOf(page: Page): Promise<string> {
  const devTools = await page.context().newCDPSession(page);
  const parts: string[] = [];
  devTools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => parts.push(chunk));
  await devTools.send('HeapProfiler.enable');
  await devTools.send('HeapProfiler.collectGarbage');
  await devTools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  const memory = parts.join('');
  // It has what the page shows.
  expect(memory).toContain(tenant.operator.client_id);
  return memory;
}

test('a wrong secret is refused with the reason, and one with a typo is not sent', async () => {
  const { page } = await open('/commands');
  const requests: string[] = [];
  page.on('request', (request) => request.url().includes('/api/') && requests.push(request.url()));
  await page.getByLabel('Client id', { exact: true }).fill(tenant.operator.client_id);
  const secret = page.getByLabel('Secret', { exact: true });
  const { secret: given } = tenant.operator;
  await secret.fill(given.slice(0, -1) + (given.endsWith('0') ? '1' : '0'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('has a typo').waitFor();
  expect(requests).toEqual([]);
  await secret.fill(tenant.reader.secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Request id').waitFor();
  expect(await secret.inputValue()).toBe('');
});

test('a credential that is disabled while a page is open ends the session, and nothing that was read stays', async () => {
  const { page } = await openAs(await credential('integration_operator'), '/commands');
  await heading(page, 'Commands').waitFor();
  await disable(page);
  await page.getByText('no longer accepts this credential').waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
});

const credential = (role: string) => createCredential(tenant.tenant_id, { role });

/** The one that is signed in. Something happens then, so that the open request is answered. */
async function disable(page: Page): Promise<void> {
  const client_id = (await page.locator('header .who bdi').first().textContent()) ?? '';
  const target = `/api/v1/platform/tenants/${tenant.tenant_id}/credentials/${client_id}`;
  const { status } = await signedRequest(platform().admin, 'PUT', target, { body: { status: 'DISABLED' } });
  expect(status).toBe(200);
  const body = {
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: client_id,
  };
  await signedRequest(tenant.operator, 'POST', '/api/v1/open/downlink/commands', { body });
}

test('the page locks after 15 minutes without input, and is where it was after the next sign-in', async () => {
  const { page } = await open('/commands?status=FAILED');
  await page.clock.install();
  await page.reload();
  await signIn(page, tenant.operator);
  await page.clock.runFor('14:00');
  await page.mouse.move(5, 5);
  await page.mouse.move(9, 9);
  await page.clock.runFor('14:00');
  await heading(page, 'Commands').waitFor();
  await page.clock.runFor('02:00');
  await page.getByText('Locked after 15 minutes').waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
  await signIn(page, tenant.operator);
  expect(await page.getByRole('checkbox', { name: 'FAILED' }).isChecked()).toBe(true);
});

test('after the lock nothing is sent any more, also no repetition of what was under way', async () => {
  const commands = '/api/v1/open/downlink/commands';
  const body = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {}, idempotency_key: 'lock' };
  const { body: accepted } = await signedRequest(tenant.operator, 'POST', commands, { body });
  const { page } = await open(`/commands/${accepted.command_id}`);
  await page.clock.install();
  await page.reload();
  await signIn(page, tenant.operator);
  let loseIt = () => {};
  const held = new Promise<void>((resolve) => {
    loseIt = resolve;
  });
  const sent: string[] = [];
  await page.route(`**${commands}`, async (route) => {
    sent.push(route.request().method());
    await held;
    // The client would send it again: with the same key that is safe.
    await route.abort().catch(() => {});
  });
  await page.getByRole('button', { name: 'Send again' }).click();
  const asked = page.waitForRequest(`**${commands}`);
  await page.getByRole('button', { name: 'Send this command' }).click();
  await asked;
  await page.evaluate(() =>
    [...document.querySelectorAll('button')].find((one) => one.textContent === 'Lock')?.click(),
  );
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  page.on('request', (request) => request.url().includes('/api/') && sent.push(request.url()));
  loseIt();
  await page.clock.runFor('01:00');
  expect(sent).toEqual(['POST']);
});

test('a platform that is gone and back again is said, and the page goes on by itself', async () => {
  const PORT = String(await freePort());
  const node = await startNode({ PORT });
  const { page } = await newPage();
  await page.goto(`${node.baseUrl}/console`);
  await signIn(page, node.demo);
  await page.getByText('Live', { exact: true }).waitFor();
  await node.stop();
  await page.getByText('The platform does not answer').first().waitFor();
  await startNode({ PORT, DATA_DIR: node.folder });
  await page.getByText('Live', { exact: true }).waitFor();
});

describe('a refusal', () => {
  test.each([
    ['/parked-messages', 'platform:parked-message:read'],
    ['/access', 'platform:credential:read'],
    ['/audit', 'platform:audit:read'],
  ])('at %s names the missing scope %s', async (path, scope) => {
    const { page } = await openAs(tenant.operator, path);
    const refusal = page.getByRole('alert');
    await refusal.getByText(`lacks the scope ${scope}`).waitFor();
    // What a person does comes before what a shell does.
    expect(await refusal.textContent()).toMatch(/Ask an administrator of your tenant.*topctl policies create/);
  });
});

test('while nothing changes, only the request that waits is sent', async () => {
  const quiet = await createTenant();
  const { page } = await open('/commands');
  await page.clock.install();
  await page.reload();
  const waiting = page.waitForRequest(/wait_seconds=30/);
  await signIn(page, quiet.operator);
  await page.getByText('This tenant has no command yet.').waitFor();
  await waiting;
  const sent: string[] = [];
  // Its time limit passes with the clock of the page: then it is sent again.
  page.on('request', (request) => !request.url().includes('wait_seconds=30') && sent.push(request.url()));
  await page.clock.runFor('10:00');
  expect(sent).toEqual([]);
});
