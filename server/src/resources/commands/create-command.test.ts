import { randomUUID } from 'node:crypto';
import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';

const COMMANDS = '/api/v1/open/downlink/commands';
const PAYLOAD_LIMIT_BYTES = 32_768;

const tenant = await createTenant();

const command = (fields: object = {}) => ({
  vendor: 'vendor_a',
  device_id: 'device-1',
  command_type: 'reboot',
  payload: {},
  idempotency_key: randomUUID(),
  ...fields,
});

const create = (body: unknown) => signedRequest(tenant.operator, 'POST', COMMANDS, { body });
const read = (commandId: string) => signedRequest(tenant.reader, 'GET', `${COMMANDS}/${commandId}`);

/** A payload of this many bytes as UTF-8 JSON, with half as many characters. */
const payloadOf = (bytes: number) => {
  const rest = bytes - Buffer.byteLength('{"a":""}');
  return { a: 'é'.repeat(Math.floor(rest / 2)) + 'a'.repeat(rest % 2) };
};

test('a command is accepted, stored and read back', async () => {
  const sent = command({ command_type: 'set_power', payload: { power: 'on' }, timeout_seconds: 45 });
  const accepted = await create(sent);
  const { command_id, accepted_at } = accepted.body;
  expect([accepted.status, accepted.body]).toEqual([
    202,
    { command_id, status: 'ACCEPTED', accepted_at, request_id: accepted.headers['x-request-id'] },
  ]);
  expect(accepted.headers).not.toHaveProperty('idempotent-replayed');
  expect(command_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Math.abs(Date.parse(accepted_at) - Date.now())).toBeLessThan(30_000);

  const { status, headers, body } = await read(command_id);
  expect(status).toBe(200);
  // life-cycle.conformance.test.ts checks its further progress.
  expect(body).toMatchObject({
    command_id,
    ...sent,
    accepted_at,
    deadline_at: new Date(Date.parse(accepted_at) + 45_000).toISOString(),
    created_by_client_id: tenant.operator.client_id,
    request_id: headers['x-request-id'],
  });
  expect(body.history[0]).toEqual({
    at: accepted_at,
    source: 'PLATFORM',
    status: 'ACCEPTED',
    adapter_status: 'PENDING',
    device_execution_status: 'NOT_STARTED',
    reason: null,
  });
});

test('a payload is read back as it was sent, with its members in order', async () => {
  const payload = '{"version":"1.2.3","force":true,"url":"https://firmware.example/a?b=c%20d\\u0026e"}';
  const sent = JSON.stringify(command({ command_type: 'update_firmware', payload: 0 })).replace(
    '"payload":0',
    `"payload":${payload}`,
  );
  const { status, body } = await create(Buffer.from(sent));
  expect(status).toBe(202);
  expect((await read(body.command_id)).raw).toContain(`"payload":${JSON.stringify(JSON.parse(payload))},`);
});

test('timeout_seconds is 30 by default, and 1 to 300', async () => {
  const timeoutOf = async (fields: object) =>
    (await read((await create(command(fields))).body.command_id)).body.timeout_seconds;
  expect(await timeoutOf({})).toBe(30);
  expect([await timeoutOf({ timeout_seconds: 1 }), await timeoutOf({ timeout_seconds: 300 })]).toEqual([1, 300]);
});

test.each([
  ['vendor', ['', 'Vendor', '-a', 'a'.repeat(64), 1, null]],
  ['device_id', ['', 'a\nb', 'a\u202eb', 'a\u2028b', 'd'.repeat(129), 1, null]],
  ['command_type', ['', '-a', 'a b', 'a~b', 't'.repeat(129), null]],
  ['idempotency_key', ['', 'a b', 'é', '\u007f', 'k'.repeat(129), 1, null]],
  ['timeout_seconds', [0, 301, 1.5, '30', null]],
  ['payload', [[], 'a', 1, null, true]],
])('%s out of range is refused with its location', async (field, values) => {
  for (const value of values) {
    const { status, body } = await create(command({ [field]: value }));
    expect([status, body.code], JSON.stringify(value)).toEqual([400, 'VALIDATION_FAILED']);
    expect(body.details).toMatchObject([{ location: `body/${field}` }]);
  }
});

test.each([
  ['device_id', ['\ud83d\ude80', 'é/ä', 'a b', 'd'.repeat(128), "'; drop table commands; --"]],
  ['idempotency_key', ['!', '~', 'k'.repeat(128), '"\\\'']],
])('%s may be any value of its alphabet, and is read back', async (field, values) => {
  for (const value of values) {
    const { status, body } = await create(command({ [field]: value }));
    expect(status, value).toBe(202);
    expect((await read(body.command_id)).body[field]).toBe(value);
  }
});

describe('the catalog', () => {
  test.each([
    ['a vendor that does not exist', { vendor: 'vendor_z' }, 'VENDOR_NOT_ENABLED'],
    ['a vendor named like a member of every object', { vendor: 'constructor' }, 'VENDOR_NOT_ENABLED'],
    ['a command type that does not exist', { command_type: 'explode' }, 'COMMAND_TYPE_UNKNOWN'],
    ['a command type of the other vendor', { command_type: 'lock' }, 'COMMAND_TYPE_UNKNOWN'],
    ['a command type in another case', { command_type: 'Reboot' }, 'COMMAND_TYPE_UNKNOWN'],
  ])('refuses %s', async (_, fields, code) => {
    const { status, body } = await create(command(fields));
    expect([status, body.code]).toEqual([422, code]);
  });

  test.each([
    ['reboot', { force: true }, 'body/payload/force'],
    ['set_power', {}, 'body/payload/power'],
    ['set_power', { power: 'maybe' }, 'body/payload/power'],
    ['set_temperature', { celsius: 36 }, 'body/payload/celsius'],
    ['set_temperature', { celsius: '20' }, 'body/payload/celsius'],
    ['update_firmware', { version: '1.2.3', url: 'not a uri' }, 'body/payload/url'],
  ])('refuses a payload of %s against its schema: %j at %s', async (command_type, payload, location) => {
    const { status, body } = await create(command({ command_type, payload }));
    expect([status, body.code]).toEqual([422, 'COMMAND_PAYLOAD_INVALID']);
    expect(body.details).toMatchObject([{ location }]);
  });

  test('shows the payload schema of each command type', async () => {
    const { status, body } = await signedRequest(tenant.reader, 'GET', '/api/v1/open/catalog');
    expect(status).toBe(200);
    for (const vendor of ['vendor_a', 'vendor_b']) {
      const types = body.vendors.find((item: { vendor: string }) => item.vendor === vendor).command_types;
      const reboot = types.find((item: { command_type: string }) => item.command_type === 'reboot');
      expect(reboot.payload_schema).toEqual({ type: 'object', additionalProperties: false });
    }
  });
});

test('a payload above its limit in bytes of UTF-8 is refused, and of exactly the limit accepted', async () => {
  const refused = await create(command({ payload: payloadOf(PAYLOAD_LIMIT_BYTES + 1) }));
  expect([refused.status, refused.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(refused.body.details).toMatchObject([{ location: 'body/payload' }]);
  expect((await create(command({ payload: payloadOf(PAYLOAD_LIMIT_BYTES) }))).body.code).toBe(
    'COMMAND_PAYLOAD_INVALID',
  );
});
