import { randomUUID } from 'node:crypto';
import { createTenant, platform, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const COMMANDS = '/api/v1/open/downlink/commands';

let sql: postgres.Sql;
let tenant: TestTenant;
/** One of the test's own, with a command type `any` that takes any payload: other tests use the seeded ones. */
let vendor: string;

beforeAll(async () => {
  sql = postgres(platform().databaseUrl ?? '', { max: 1, onnotice: () => {} });
  tenant = await createTenant();
});

afterAll(() => sql.end());

beforeEach(async () => {
  vendor = `vendor_${randomUUID()}`;
  await sql`insert into vendors (vendor, enabled) values (${vendor}, true)`;
  await sql`insert into command_types (vendor, command_type, enabled, description, payload_schema)
    values (${vendor}, 'any', true, 'Takes any payload.', '{"type":"object"}')`;
});

const command = (fields: object = {}) => ({
  vendor,
  device_id: 'device-1',
  command_type: 'any',
  payload: {},
  idempotency_key: randomUUID(),
  ...fields,
});

const create = (body: unknown, node = platform().nodes[0]) =>
  signedRequest(tenant.operator, 'POST', COMMANDS, { body, ...(node !== undefined && { node }) });

test.each([
  ['vendor', 'VENDOR_NOT_ENABLED', () => sql`update vendors set enabled = false where vendor = ${vendor}`],
  [
    'command type',
    'COMMAND_TYPE_UNKNOWN',
    () => sql`update command_types set enabled = false where vendor = ${vendor}`,
  ],
  [
    'payload schema',
    'COMMAND_PAYLOAD_INVALID',
    () =>
      sql`update command_types set revision = revision + 1, payload_schema = '{"required":["a"]}' where vendor = ${vendor}`,
  ],
])('a %s changed since is obeyed by every node at once, and breaks no retry', async (_, code, change) => {
  const body = command();
  const first = await create(body);
  for (const node of platform().nodes) expect((await create(command(), node)).status).toBe(202);
  await change();
  for (const node of platform().nodes) {
    expect((await create(command(), node)).body.code).toBe(code);
    const again = await create(body, node);
    expect([again.status, again.body.command_id]).toEqual([202, first.body.command_id]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers).not.toHaveProperty('idempotency-mismatch');
  }
});

test('a vendor enabled again is obeyed by every node at once', async () => {
  await sql`update vendors set enabled = false where vendor = ${vendor}`;
  for (const node of platform().nodes) expect((await create(command(), node)).body.code).toBe('VENDOR_NOT_ENABLED');
  await sql`update vendors set enabled = true where vendor = ${vendor}`;
  for (const node of platform().nodes) expect((await create(command(), node)).status).toBe(202);
});

test('any payload is read back as it was sent', async () => {
  const payload =
    '{"z":1,"a":[null,true,-0.5,1e+21,5e-324,9007199254740991],"":{"constructor":{},"toString":"x"},"\\u0001é\u2028🚀":""}';
  const sent = JSON.stringify(command({ payload: 0 })).replace('"payload":0', `"payload":${payload}`);
  const { status, body } = await create(Buffer.from(sent));
  expect(status).toBe(202);
  const read = await signedRequest(tenant.reader, 'GET', `${COMMANDS}/${body.command_id}`);
  expect(read.raw).toContain(`"payload":${JSON.stringify(JSON.parse(payload))},`);
});

test('a payload of exactly the limit is accepted, whatever it is made of', async () => {
  const payload = { a: `${'é'.repeat(16_379)}bb` };
  expect(Buffer.byteLength(JSON.stringify(payload))).toBe(32_768);
  expect((await create(command({ payload }))).status).toBe(202);
});
