import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from './at-end.js';
import { createCallerOfEverything, createTenant, platform, signedRequest, startNode, usePlatform } from './index.js';
import { startWithOtherCommand } from './mismatch.js';
import { ownPostgres } from './private-postgres.js';
import type { Profile } from './profile.js';

const { resolve } = createRequire(import.meta.url);

type Item = { name: string; request: { method: string } };
type Collection = { item: { name: string; item: Item[] }[]; variable: { key: string; value: string }[] };

type Caller = Pick<Profile, 'base_url' | 'client_id' | 'secret'>;

const collection: Collection = JSON.parse(readFileSync(resolve('@tenant-open-platform/contract/postman.json'), 'utf8'));
const items = collection.item.flatMap((folder) => folder.item);
const itemOf = (name: string) => items.find((item) => item.name === name) as Item;

/**
 * What requests of the collection are answered when they are sent one after the other, by newman, which runs collections
 * of Postman.
 */
async function run(sent: readonly Item[], { base_url, client_id, secret }: Caller, variables: object = {}) {
  const folder = temporaryFolder();
  const [file, report] = [join(folder, 'collection.json'), join(folder, 'report.json')];
  const values: Record<string, string> = { base_url, client_id, secret, ...variables };
  const variable = collection.variable.map(({ key, value }) => ({ key, value: values[key] ?? value }));
  writeFileSync(file, JSON.stringify({ ...collection, item: sent, variable }));
  const reporters = ['--reporters', 'json', '--reporter-json-export', report];
  await promisify(execFile)(process.execPath, [resolve('newman/bin/newman.js'), 'run', file, ...reporters]);
  const { executions } = JSON.parse(readFileSync(report, 'utf8')).run;
  return executions.map(
    ({ item, response }: { item: Item; response: { code: number } }) => `${item.name} ${response.code}`,
  ) as string[];
}

test('the Postman collection signs what it sends, with a body, with a query and without either', async () => {
  const { operator, admin, tenant_id } = await createTenant();
  const base_url = platform().nodes[0] ?? '';
  const ofOperator = ['commands.create', 'commands.list', 'me.get'].map(itemOf);
  expect(await run(ofOperator, { ...operator, base_url })).toEqual([
    'commands.create 202',
    'commands.list 200',
    'me.get 200',
  ]);
  const ofAdmin = ['credentials.list', 'roles.list'].map(itemOf);
  expect(await run(ofAdmin, { ...admin, base_url }, { tenant_id })).toEqual(['credentials.list 200', 'roles.list 200']);
});

test('a command is created, read and canceled: the collection keeps its id', async () => {
  const { url } = await ownPostgres();
  // No worker sends the command to its adapter.
  const { demo } = await startNode({ DATABASE_URL: url, ROLE: 'api' });
  const lifeOfCommand = ['commands.create', 'commands.get', 'commands.cancel'].map(itemOf);
  expect(await run(lifeOfCommand, demo)).toEqual(['commands.create 202', 'commands.get 200', 'commands.cancel 200']);
});

test('the collection fails if its key belongs to another command', async () => {
  const { url, requests } = await startWithOtherCommand();
  const caller = { base_url: url, client_id: 'demo', secret: 'secret' };
  await expect(run([itemOf('commands.create')], caller)).rejects.toMatchObject({ code: 1 });
  expect(requests).toEqual(['POST']);
});

/** What is sent again before a request, because another one has used it up. */
const before: Record<string, string[]> = {
  'parkedMessages.retry': ['parkedMessages.delete', 'parkedMessages.list'],
  'deviceRequests.reply': ['commands.create', 'deviceRequests.list'],
  'policies.revoke': ['policies.create'],
};

/** First what creates, then what reads, changes and deletes. What is made last is deleted first. New tenants come last. */
function inOrder(): Item[] {
  const isTenant = ({ name }: Item) => name.startsWith('tenants.');
  const [tenants, others] = [items.filter(isTenant), items.filter((item) => !isTenant(item))];
  const verbs = [/\.create$/, /\.list$/];
  const isOther = ({ name }: Item) => !verbs.some((verb) => verb.test(name));
  const of = (method: string) => others.filter((item) => isOther(item) && item.request.method === method);
  const ordered = [
    ...verbs.flatMap((verb) => others.filter(({ name }) => verb.test(name))),
    ...of('GET'),
    ...of('POST'),
    ...of('PUT'),
    ...of('DELETE').reverse(),
    ...tenants,
  ];
  const sent: Item[] = [];
  for (const item of ordered) {
    if (!sent.includes(item)) sent.push(...(before[item.name] ?? []).map(itemOf), item);
  }
  return sent;
}

/** Simulated devices ask, and report more than the platform accepts: two messages are parked. */
async function fillLists(caller: Profile): Promise<void> {
  for (const [index, device_id] of ['ok-1', 'verbose-1', 'verbose-1'].entries()) {
    const body = { vendor: 'vendor_a', device_id, command_type: 'reboot', payload: {}, idempotency_key: `${index}` };
    expect((await signedRequest(caller, 'POST', '/api/v1/open/downlink/commands', { body })).status).toBe(202);
  }
  const count = async (list: string) => (await signedRequest(caller, 'GET', `/api/v1/${list}`)).body.items.length;
  await expect.poll(() => count('open/device-requests')).toBeGreaterThan(0);
  await expect.poll(() => count('platform/tenants/platform/parked-messages')).toBe(2);
}

test('every request of the collection succeeds with the ids that earlier requests have filled in', async () => {
  const { admin, demo } = await startNode();
  usePlatform({ nodes: [admin.base_url], admin, demo, databaseUrl: null, natsUrl: null });
  const caller = await createCallerOfEverything();
  await fillLists(caller);
  const answers = await run(inOrder(), caller, { tenant_id: 'platform' });
  expect(new Set(answers.map((answer) => answer.split(' ')[0]))).toEqual(new Set(items.map(({ name }) => name)));
  expect(answers.filter((answer) => !/ 2\d\d$/.test(answer))).toEqual([
    // A worker has sent it.
    'commands.cancel 409',
    // A tenant that is not DISABLED, and another one as `confirm`.
    'tenants.delete 400',
    'tenants.export 409',
  ]);
}, 600_000);
