import { randomUUID } from 'node:crypto';
import { type DeviceRequestMessage, subjects } from '@tenant-open-platform/contract/bus';
import { createTenant, platform, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import type postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Transaction } from '../src/foundation/database/database.js';
import { asAllTenants, asIngest, type CommandOutcome } from '../src/foundation/database/row-level-security.js';
import { newIdTail } from '../src/foundation/ids.js';
import type { CommandRequest } from '../src/pipeline/accept.js';
import { createParker } from '../src/pipeline/bus/parked-messages.js';
import { createDeviceRequestReceiver, takeDeviceRequest } from '../src/pipeline/device-requests.js';
import { logEvents } from '../src/pipeline/event-log.js';
import { COMMANDS } from './support/commands.js';
import { openPool } from './support/open-pool.js';

let database: Database;
let tenant: TestTenant;

beforeAll(async () => {
  database = openPool(platform().databaseUrl as string);
  tenant = await createTenant();
});

afterAll(() => database.close());

type Row = Record<string, unknown>;

/** Runs statements as the background work may, then rolls back: no relay takes their rows. */
async function undone(work: (tx: postgres.TransactionSql) => Promise<Row[]>): Promise<Row[]> {
  let rows: Row[] = [];
  const rollback = new Error('rolled back');
  await database.sql
    .begin(async (tx) => {
      rows = await work(tx);
      throw rollback;
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
  return rows;
}

const read = (select: (tx: postgres.TransactionSql) => Promise<Row[]>) =>
  undone(async (tx) => {
    await tx`set local role top_system`;
    return select(tx);
  });

/** Every column has what was sent, and none is null, except those that a later statement sets. */
function expectStored(rows: Row[], sent: Row, later: string[] = []): void {
  expect(rows).toHaveLength(1);
  const columns = Object.entries(rows[0] as Row)
    .filter(([name]) => !later.includes(name))
    .map(([name, value]) => [name, typeof value === 'string' && name.endsWith('_at') ? new Date(value) : value]);
  expect(columns.filter(([, value]) => value === null).map(([name]) => name)).toEqual([]);
  expect(Object.fromEntries(columns)).toEqual(sent);
}

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

const command = (): Required<CommandRequest> => ({
  vendor: 'vendor_a',
  device_id: 'offline-1',
  command_type: 'reboot',
  payload: {},
  idempotency_key: randomUUID(),
  timeout_seconds: 77,
});

/** The columns of a command that its reports, its end or a restore set. */
const moved = [
  ['status', 'adapter_status', 'device_execution_status', 'history', 'updated_at'],
  ['dispatched_at', 'completed_at', 'status_reason', 'progress', 'result', 'late_result', 'is_copied'],
].flat();

const traceparent = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`;

test.each([
  ['commands.create', COMMANDS, []],
  ['commands.createMany', '/api/v1/open/downlink/command-batches', ['batch_id']],
])('%s stores every field of a command and of its request', async (_operation, path, ofBatch) => {
  const sent = command();
  const batch_id = randomUUID();
  const body = ofBatch.length > 0 ? { batch_id, commands: [sent] } : sent;
  const answer = await signedRequest(tenant.operator, 'POST', path, { body, headers: { traceparent } });
  expect(answer.status, answer.raw).toBeLessThan(300);
  const { command_id, accepted_at } = answer.body.items?.[0] ?? answer.body;
  const rows = await read((tx) => tx`select * from commands where command_id = ${command_id}`);
  expectStored(
    rows,
    {
      ...sent,
      tenant_id: tenant.tenant_id,
      command_id,
      accepted_at: new Date(accepted_at),
      deadline_at: new Date(Date.parse(accepted_at) + sent.timeout_seconds * 1_000),
      created_by_client_id: tenant.operator.client_id,
      request_id: answer.headers['x-request-id'],
      traceparent,
      ...(ofBatch.length > 0 && { batch_id }),
    },
    ofBatch.length > 0 ? moved : [...moved, 'batch_id'],
  );
});

test('an accepted command leaves an outbox row with every column', async () => {
  const { tenant_id, operator } = tenant;
  const request = { ...command(), position: 0, tenant_id, client_id: operator.client_id, revision: 1 };
  const more = { request_id: randomUUID(), command_id_tail: newIdTail() };
  let fact_id: string | undefined;
  const rows = await undone(async (tx) => {
    const [stored] = await asIngest<CommandOutcome>(
      { sql: tx } as unknown as Database,
      [{ ...request, ...more }],
      true,
    );
    if (stored?.outcome === 'ACCEPTED') fact_id = stored.command_id;
    await tx`set local role top_system`;
    return tx`select * from outbox where fact_id = ${fact_id ?? null}`;
  });
  expectStored(rows, {
    tenant_id,
    is_logged: false,
    position: expect.anything(),
    kind: 'COMMAND_ACCEPTED',
    fact_id,
    created_at: expect.any(Date),
  });
});

test('an event is logged with every column', async () => {
  const event = { tenant_id: tenant.tenant_id, command_id: randomUUID(), event_type: 'command.accepted' as const };
  await asAllTenants(database, (tx: Transaction) => logEvents(tx, [event]));
  const rows = await read((tx) => tx`select * from events where command_id = ${event.command_id}`);
  expectStored(rows, { ...event, event_id: UUID, seq: expect.anything(), logged_at: expect.any(Date) });
});

test('a device request is stored with every field of its message and of its reply', async () => {
  const { tenant_id, operator } = tenant;
  const message: Required<DeviceRequestMessage> = {
    device_id: 'device-1',
    request_type: 'firmware_check',
    payload: { version: '2.4.0' },
    dedupe_id: randomUUID(),
    expires_in_seconds: 77,
  };
  const sender = { tenantId: tenant_id, vendor: 'vendor_a', sentAt: new Date(), age: async () => 10_000 };
  const take = takeDeviceRequest(createDeviceRequestReceiver(database, { send() {} } as never));
  expect(await take(message, sender)).toEqual({ as: 'DONE' });
  const select = () => read((tx) => tx`select * from device_requests where dedupe_id = ${message.dedupe_id}`);
  const [stored] = await select();
  const policies = `/api/v1/platform/tenants/${tenant_id}/policies`;
  const grant = { client_id: operator.client_id, scope: 'open:device-request:create' };
  await signedRequest(tenant.admin, 'POST', policies, { body: grant });
  const path = `/api/v1/open/device-requests/${stored?.device_request_id}/reply`;
  const reply = { outcome: 'ERROR', payload: { model: 7 }, error: { code: 'UNKNOWN_MODEL', message: 'No firmware.' } };
  const answer = await signedRequest(operator, 'POST', path, { body: reply });
  expect(answer.status, answer.raw).toBe(200);
  const { expires_in_seconds, ...fields } = message;
  expectStored(await select(), {
    ...fields,
    tenant_id,
    device_request_id: UUID,
    vendor: 'vendor_a',
    status: 'REPLIED',
    received_at: expect.any(Date),
    expires_at: new Date(new Date(String(stored?.received_at)).getTime() + expires_in_seconds * 1_000 - 10_000),
    reply_outcome: reply.outcome,
    reply_payload: reply.payload,
    reply_error: reply.error,
    reply_sha256: expect.any(Buffer),
    replied_at: expect.any(Date),
    replied_by_client_id: operator.client_id,
  });
});

test('a parked message is stored with every column', async () => {
  const subject = subjects.deviceRequest(tenant.tenant_id, `vendor_${randomUUID()}`);
  const details = [{ location: 'device_id', code: 'REQUIRED', message: 'is required' }];
  const body = Buffer.from('{}');
  await createParker(database)({ subject, body, reason: 'It is wrong.', details });
  const rows = await read((tx) => tx`select * from parked_messages where subject = ${subject}`);
  expectStored(rows, {
    tenant_id: tenant.tenant_id,
    parked_message_id: UUID,
    parked_at: expect.any(Date),
    subject,
    reason: 'It is wrong.',
    details,
    body,
    is_whole: true,
  });
});
