import { type Profile, signedRequest, startNode } from '@tenant-open-platform/testing';
import { newPage, useBrowser, WITHIN } from '@tenant-open-platform/testing/browser';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

useBrowser();

type Described = { operationId: string; 'x-required-scope': string | null; responses: Record<string, unknown> };
type Operation = { name: string; method: string; path: string; scope: string | null; creates: boolean };

/** Refusals that a first click deserves: what these change is not in the state that they need. */
const refusals: Record<string, string> = {
  'commands.cancel': '409 COMMAND_NOT_CANCELABLE',
  'tenants.export': '409 TENANT_NOT_DISABLED',
  'tenants.delete': '409 TENANT_NOT_DISABLED',
};

/**
 * What is sent again before an operation: another one has used up its object, or its object may have expired, or the page
 * shows the credential that was read last.
 */
const before: Record<string, string[]> = {
  'deviceRequests.reply': ['commands.create', 'deviceRequests.list', 'deviceRequests.get'],
  'policies.revoke': ['policies.create'],
  'roleBindings.delete': ['roleBindings.create'],
  'parkedMessages.retry': ['parkedMessages.delete', 'parkedMessages.list', 'parkedMessages.get'],
};

const server = await startNode();

async function send(caller: Profile, method: string, target: string, body: object): Promise<Profile> {
  const answer = await signedRequest(caller, method, `/api/v1/${target}`, { body });
  if (answer.status >= 300) throw new Error(answer.raw);
  return { ...caller, ...answer.body };
}

/** An administrator of the tenant of the examples. */
async function createTenantAdmin(admin: Profile): Promise<Profile> {
  const tenant = 'platform/tenants/demo';
  const created = await send(admin, 'POST', `${tenant}/credentials`, { client_id: 'demo-admin', name: 'Admin' });
  await send(admin, 'POST', `${tenant}/role-bindings`, { client_id: 'demo-admin', role: 'tenant_admin' });
  return created;
}

/** Two messages are parked: these devices report more than the platform accepts. */
async function parkMessages(demo: Profile, admin: Profile): Promise<void> {
  for (const idempotency_key of ['parked-1', 'parked-2']) {
    const command = { vendor: 'vendor_a', device_id: 'verbose-1', command_type: 'reboot', payload: {} };
    await send(demo, 'POST', 'open/downlink/commands', { ...command, idempotency_key });
  }
  const parked = '/api/v1/platform/tenants/demo/parked-messages';
  const count = async () => (await signedRequest(admin, 'GET', parked)).body.items.length;
  await expect.poll(count, WITHIN).toBe(2);
}

async function readOperations(): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${new URL(server.baseUrl).origin}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: name, 'x-required-scope': scope, responses }]) => ({
      ...{ name, method, path, scope },
      creates: method === 'post' && ('201' in responses || '202' in responses),
    })),
  );
}

/** First what creates, then what reads, changes and deletes. What is made last is deleted first. */
function inOrder(operations: Operation[]): Operation[] {
  const isList = ({ name }: Operation) => name.endsWith('.list');
  const of = (method: string) => operations.filter((operation) => operation.method === method && !operation.creates);
  return [
    ...operations.filter(({ creates }) => creates),
    ...of('get').filter(isList),
    ...of('get').filter((operation) => !isList(operation)),
    ...of('post'),
    ...of('put'),
    ...of('delete').reverse(),
  ];
}

/** Opens the operation in the page and sends it as it is. Resolves to the status, and the code of a refusal. */
async function sendFrom(
  page: Page,
  { name, method, path }: Operation,
  { client_id, secret }: Profile,
): Promise<string> {
  const resource = name.split('.')[0]?.toLowerCase();
  await page.goto(`${new URL(server.baseUrl).origin}/docs#tag/${resource}/${method.toUpperCase()}${path}`);
  // By its text: a search by role reads the styles of the whole page, which is most of the time of this test.
  await page
    .locator('button', { hasText: `(${method} ${path})` })
    .first()
    .click();
  const client = page.locator('.scalar-client');
  await client.locator('input[name=client_id]').fill(client_id);
  await client.locator('input[name=secret]').fill(secret);
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const [response] = await Promise.all([
    page.waitForResponse(
      (one) => one.request().method() === method.toUpperCase() && pattern.test(new URL(one.url()).pathname),
      WITHIN,
    ),
    client.getByRole('button', { name: /^Send/ }).first().click(),
  ]);
  const { code = '' } = response.ok() ? {} : await response.json();
  await page.keyboard.press('Escape');
  return `${response.status()} ${code}`.trim();
}

test('every operation, sent as the page shows it, succeeds for a caller with its scope', async () => {
  const { admin, demo } = server;
  const tenantAdmin = await createTenantAdmin(admin);
  await parkMessages(demo, admin);
  const operations = await readOperations();
  const { page } = await newPage({ viewport: { width: 1_280, height: 860 } });
  const callerOf = ({ path, scope }: Operation) => {
    if (path.startsWith('/api/v1/platform/')) return admin;
    return /^open:(object-config|callback):/.test(scope ?? '') ? tenantAdmin : demo;
  };
  const statuses: Record<string, string> = {};
  const click = async (operation: Operation) => {
    const status = await sendFrom(page, operation, callerOf(operation));
    statuses[operation.name] ??= status;
  };
  for (const operation of inOrder(operations)) {
    if (operation.name in statuses) continue;
    for (const name of before[operation.name] ?? []) {
      await click(operations.find((other) => other.name === name) ?? operation);
    }
    await click(operation);
  }
  console.log(
    Object.entries(statuses)
      .map(([name, status]) => `| ${name} | ${status} |`)
      .join('\n'),
  );
  const refused = Object.fromEntries(Object.entries(statuses).filter(([, status]) => !/^2\d\d$/.test(status)));
  expect(refused).toEqual(refusals);
  expect(Object.keys(statuses).sort()).toEqual(operations.map(({ name }) => name).sort());
}, 1_800_000);

test('a command sent twice from the page is two commands', async () => {
  const { page } = await newPage();
  const [create] = (await readOperations()).filter(({ name }) => name === 'commands.create');
  const bodies: string[] = [];
  page.on('request', (request) => bodies.push(request.postData() ?? ''));
  for (const _ of [1, 2]) expect(await sendFrom(page, create as Operation, server.demo)).toBe('202');
  const keys = bodies.filter(Boolean).map((body) => JSON.parse(body).idempotency_key);
  expect(new Set(keys).size).toBe(2);
});
