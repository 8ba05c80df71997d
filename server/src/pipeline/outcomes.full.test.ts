import { subjects } from '@tenant-open-platform/contract/bus';
import { type Answer, createTenant, signedRequest } from '@tenant-open-platform/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COMMANDS, completed, newCommand } from '../../test/support/commands.js';
import { decoratedUpdates, printedSeed } from '../../test/support/decorated-updates.js';
import { openPool } from '../../test/support/open-pool.js';
import { createRedeliveringReporter } from '../../test/support/reporter.js';
import { silent } from '../../test/support/silent.js';
import { localSignals } from '../foundation/signals/signals.js';
import { readUpdate } from './bus/read-message.js';
import { createMessageTaker } from './bus/take-message.js';
import { takeCommandUpdate } from './reports.js';

const database = openPool();
const tenant = await createTenant();
const options = { database, ...silent() };
const reporter = createRedeliveringReporter(database, localSignals(), options.metrics);
const handle = createMessageTaker(options, 'command-updates', readUpdate, takeCommandUpdate(reporter, options.metrics));

const get = async (id: string): Promise<Answer['body']> =>
  (await signedRequest(tenant.reader, 'GET', `${COMMANDS}/${id}`)).body;

/** A dispatched command that the simulated fleet ignores. */
async function dispatched(): Promise<string> {
  const id = await newCommand(tenant.operator, { device_id: 'offline-1', timeout_seconds: 300 });
  await expect.poll(async () => (await get(id)).status).toBe('DISPATCHED');
  return id;
}

/** Takes an update as it comes from the bus. */
const take = (id: string, body: string) =>
  handle({
    id,
    messageId: '',
    subject: subjects.commandUpdate(tenant.tenant_id, 'vendor_a'),
    body: Buffer.from(body),
    attempt: 1,
    waitingBehind: 0,
    sentAt: new Date(),
    age: async () => 0,
  });
const say = (command_id: string, said: object) => take(command_id, JSON.stringify({ command_id, ...said }));

const statusesOf = ({ status, adapter_status, device_execution_status, public_status }: Answer['body']) => [
  status,
  adapter_status,
  device_execution_status,
  public_status,
];

test.each([
  ['FAILED', 'FAILED'],
  ['UNREACHABLE', 'FAILED'],
  ['UNSUPPORTED', 'UNSUPPORTED'],
  ['REJECTED', 'REJECTED'],
])(
  'after IN_PROGRESS and %s of the adapter, record and event say %s, and that the device may have done it',
  async (word, status) => {
    const id = await dispatched();
    await say(id, { device_execution_status: 'IN_PROGRESS' });
    expect(statusesOf(await get(id))).toEqual(['DISPATCHED', 'DELIVERED', 'IN_PROGRESS', 'PENDING']);
    await say(id, { adapter_status: word });
    expect(statusesOf(await completed(tenant.reader, id))).toEqual([status, word, 'UNKNOWN', 'UNKNOWN']);
    const query = `command_id=${id}&event_type=command.completed`;
    const { body } = await signedRequest(tenant.reader, 'GET', `/api/v1/open/events?${query}`);
    expect(body.items.map(({ data }: Answer['body']) => statusesOf(data))).toEqual([
      [status, word, 'UNKNOWN', 'UNKNOWN'],
    ]);
  },
);

test('an update counts whose command_id has capital letters', async () => {
  const id = await dispatched();
  expect(await say(id.toUpperCase(), { device_execution_status: 'SUCCEEDED' })).toBe('DONE');
  expect((await get(id)).status).toBe('SUCCEEDED');
  expect((await get(id.toUpperCase())).command_id).toBe(id);
});

test('no decoration loses an outcome on its way to the record: 200 updates', async () => {
  const bodies = fc.sample(decoratedUpdates('"command_id":"ID","device_execution_status":"SUCCEEDED"'), {
    numRuns: 200,
    seed: printedSeed(),
  });
  const say = async (body: string) => {
    const id = await dispatched();
    expect(await take(id, body.replace('"command_id":"ID"', `"command_id":"${id}"`)), body).toBe('DONE');
    expect(statusesOf(await get(id)), body).toEqual(['SUCCEEDED', 'DELIVERED', 'SUCCEEDED', 'SUCCEEDED']);
  };
  for (let at = 0; at < bodies.length; at += 20) await Promise.all(bodies.slice(at, at + 20).map(say));
});
