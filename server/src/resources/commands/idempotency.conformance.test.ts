import { randomUUID } from 'node:crypto';
import {
  type Answer,
  createCredential,
  createTenant,
  type Profile,
  platform,
  signedRequest,
} from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';

const COMMANDS = '/api/v1/open/downlink/commands';

const tenant = await createTenant();

const command = (fields: object = {}) => ({
  vendor: 'vendor_a',
  device_id: 'device-1',
  command_type: 'update_firmware',
  payload: { version: '1.2.3', force: true },
  idempotency_key: randomUUID(),
  ...fields,
});

const create = (body: unknown, caller: Profile = tenant.operator) => signedRequest(caller, 'POST', COMMANDS, { body });

const commandsOf = async (key: string) =>
  (await signedRequest(tenant.reader, 'GET', `${COMMANDS}?idempotency_key=${key}`)).body.items;

function expectReplay(first: Answer, again: Answer, differing: string[] = []): void {
  const { command_id, accepted_at } = first.body;
  expect([again.status, again.body]).toEqual([
    202,
    { command_id, status: 'ACCEPTED', accepted_at, request_id: again.headers['x-request-id'] },
  ]);
  expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  expect(again.headers['idempotent-replayed']).toBe('true');
  const mismatch = again.headers['idempotency-mismatch'] as string | undefined;
  expect(mismatch?.split(',').sort() ?? []).toEqual([...differing].sort());
}

function expectFirst(answer: Answer): void {
  expect(answer.status, answer.raw).toBe(202);
  expect(answer.headers).not.toHaveProperty('idempotent-replayed');
  expect(answer.headers).not.toHaveProperty('idempotency-mismatch');
}

test('a used key returns the existing command and creates nothing', async () => {
  const body = command();
  const first = await create(body);
  expectFirst(first);
  expectReplay(first, await create(body));
  expectReplay(first, await create(body));
  expect(await commandsOf(body.idempotency_key)).toHaveLength(1);
});

test('all different fields are named at once, and the first request stays', async () => {
  const body = command();
  const first = await create(body);
  const other = {
    ...body,
    vendor: 'vendor_b',
    device_id: 'd',
    command_type: 'reboot',
    payload: {},
    timeout_seconds: 1,
  };
  const fields = ['vendor', 'device_id', 'command_type', 'payload', 'timeout_seconds'];
  expectReplay(first, await create(other), fields);
  expect(await commandsOf(body.idempotency_key)).toMatchObject([{ ...body, timeout_seconds: 30 }]);
});

describe('the same request', () => {
  test('may have another order of members, also in the payload', async () => {
    const body = command();
    const { vendor, payload, ...rest } = body;
    const first = await create(body);
    const { version, force } = payload;
    expectReplay(first, await create({ payload: { force, version }, ...rest, vendor }));
  });

  test.each(['21', '21.0', '2.1e1', '210e-1'])('may write a number as %s', async (number) => {
    const body = command({ command_type: 'set_temperature', payload: { celsius: 21 } });
    const first = await create(body);
    const written = JSON.stringify(body).replace(':21}', `:${number}}`);
    expectReplay(first, await create(Buffer.from(written)));
  });

  test('may write a character as an escape', async () => {
    const body = command();
    const first = await create(body);
    expectReplay(first, await create(Buffer.from(JSON.stringify(body).replace('1.2.3', '1\\u002e2.3'))));
  });

  test('may omit a default timeout, or state it', async () => {
    const silent = command();
    expectReplay(await create(silent), await create({ ...silent, timeout_seconds: 30 }));
    const spoken = command({ timeout_seconds: 30 });
    const { timeout_seconds: _, ...rest } = spoken as typeof spoken & { timeout_seconds: number };
    expectReplay(await create(spoken), await create(rest));
  });

  test('may come from another credential of the tenant', async () => {
    const body = command();
    const first = await create(body);
    const colleague = await createCredential(tenant.tenant_id, { role: 'integration_operator' });
    expectReplay(first, await create(body, colleague));
    expect(await commandsOf(body.idempotency_key)).toMatchObject([{ created_by_client_id: tenant.operator.client_id }]);
  });
});

test('a used key is checked before the catalog and after the structure of the request', async () => {
  const body = command();
  const first = await create(body);
  expectReplay(first, await create({ ...body, vendor: 'vendor_z' }), ['vendor']);
  expectReplay(first, await create({ ...body, command_type: 'explode' }), ['command_type']);
  expectReplay(first, await create({ ...body, payload: { version: 'x' } }), ['payload']);
  expect((await create({ ...body, timeout_seconds: 0 })).body.code).toBe('VALIDATION_FAILED');
  expect((await create({ ...body, payload: { a: 'a'.repeat(33_000) } })).body.code).toBe('PAYLOAD_TOO_LARGE');
});

test('a used key is checked before the vendors of the tenant', async () => {
  const { tenant_id, operator } = await createTenant();
  const body = command();
  const first = await create(body, operator);
  const vendors = { body: { vendors: ['vendor_b'] } };
  await signedRequest(platform().admin, 'PUT', `/api/v1/platform/tenants/${tenant_id}`, vendors);
  expectReplay(first, await create(body, operator));
  expect((await create(command(), operator)).body.code).toBe('VENDOR_NOT_ENABLED');
});

test('a refused request does not use up its key', async () => {
  const body = command();
  const codes = [
    await create({ ...body, vendor: 'vendor_z' }),
    await create({ ...body, command_type: 'explode' }),
    await create({ ...body, payload: {} }),
    await create({ ...body, timeout_seconds: 0 }),
    await create({ ...body, payload: { a: 'a'.repeat(33_000) } }),
    await create(body, tenant.reader),
  ].map(({ body: { code } }) => code);
  expect(codes).toEqual([
    'VENDOR_NOT_ENABLED',
    'COMMAND_TYPE_UNKNOWN',
    'COMMAND_PAYLOAD_INVALID',
    'VALIDATION_FAILED',
    'PAYLOAD_TOO_LARGE',
    'FORBIDDEN',
  ]);
  expectFirst(await create(body));
});

test('a key belongs to its tenant, and is case-sensitive', async () => {
  const body = command({ idempotency_key: `key-${randomUUID()}` });
  expectFirst(await create(body));
  expectFirst(await create(body, (await createTenant()).operator));
  expectFirst(await create({ ...body, idempotency_key: body.idempotency_key.toUpperCase() }));
});

test('of 30 concurrent duplicates one is accepted, and the other 29 replay it', async () => {
  const body = command();
  const answers = await Promise.all(Array.from({ length: 30 }, () => create(body)));
  const fresh = answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
  expect(fresh).toHaveLength(1);
  for (const answer of answers.filter((answer) => !fresh.includes(answer))) expectReplay(fresh[0] as Answer, answer);
  expect(await commandsOf(body.idempotency_key)).toHaveLength(1);
});

test('of 30 different concurrent requests with one key one is accepted, and every other learns how it differs', async () => {
  const idempotency_key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => create(command({ idempotency_key, device_id: `device-${index}` }))),
  );
  const fresh = answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
  expect(fresh).toHaveLength(1);
  for (const answer of answers.filter((answer) => !fresh.includes(answer))) {
    expectReplay(fresh[0] as Answer, answer, ['device_id']);
  }
});
