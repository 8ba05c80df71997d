import { randomUUID } from 'node:crypto';
import { createAccount, createCluster, createCurve, createOperator, createServer, createUser } from '@nats-io/nkeys';
import {
  type Answer,
  createCredential,
  createTenant,
  nextMillisecond,
  type Profile,
  platform,
  signedRequest,
} from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { newPrincipal } from '../../../test/support/new-principal.js';

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);

const principals = (of = tenant) => `/api/v1/platform/tenants/${of.tenant_id}/bus/principals`;
const create = (body: object, caller: Profile = tenant.admin) => signedRequest(caller, 'POST', principals(), { body });
const read = (id: string) => signedRequest(tenant.admin, 'GET', `${principals()}/${id}`);
const update = (id: string, body: object) => signedRequest(tenant.admin, 'PUT', `${principals()}/${id}`, { body });
const list = (query = '', of = tenant) => signedRequest(of.admin, 'GET', `${principals(of)}?limit=500${query}`);

const isCreated = (answer: Answer) => {
  expect(answer.status, answer.raw).toBe(201);
  return answer.body;
};
const created = async (fields: object = {}) => isCreated(await create(newPrincipal(fields)));

describe('life', () => {
  test('a principal is read and listed as in the answer to its creation', async () => {
    const { client_id } = await createCredential(tenant.tenant_id);
    const body = newPrincipal({ client_id, service_name: 'adapter/7', expires_at: '2999-01-01T00:00:00+01:30' });
    const answer = await create(body);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        ...body,
        principal_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
        tenant_id: tenant.tenant_id,
        vendors: null,
        status: 'ACTIVE',
        expires_at: '2998-12-31T22:30:00.000Z',
        problem: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: answer.body.created_at,
        request_id: answer.headers['x-request-id'],
      },
    ]);
    const { body: again } = await read(answer.body.principal_id);
    expect(again).toEqual({ ...answer.body, request_id: again.request_id });
    const { body: listed } = await list();
    expect(listed.items).toContainEqual({ ...answer.body, request_id: listed.request_id });
  });

  test('an omitted field is null, and a principal is ACTIVE by default', async () => {
    expect(await created()).toMatchObject({ client_id: null, service_name: null, expires_at: null, status: 'ACTIVE' });
    expect(await created({ expires_at: null })).toMatchObject({ expires_at: null });
    for (const status of ['ACTIVE', 'DISABLED', 'DELETED']) expect(await created({ status })).toMatchObject({ status });
  });

  test('PUT changes only the fields of the body', async () => {
    const before = await created({ expires_at: '2999-01-01T00:00:00.000Z' });
    const disabled = await update(before.principal_id, { status: 'DISABLED' });
    const { request_id: _, updated_at, ...rest } = before;
    expect([disabled.status, disabled.body]).toEqual([
      200,
      {
        ...rest,
        status: 'DISABLED',
        updated_at: expect.any(String),
        request_id: disabled.headers['x-request-id'],
      },
    ]);
    expect(Date.parse(disabled.body.updated_at)).toBeGreaterThanOrEqual(Date.parse(updated_at));
    const moved = await update(before.principal_id, { expires_at: '2998-01-01T00:00:00.000Z' });
    expect(moved.body).toMatchObject({ ...rest, status: 'DISABLED', expires_at: '2998-01-01T00:00:00.000Z' });
    const cleared = await update(before.principal_id, { status: 'ACTIVE', expires_at: null });
    expect(cleared.body).toMatchObject({ ...rest, status: 'ACTIVE', expires_at: null });
    const after = (await read(before.principal_id)).body;
    expect(after).toEqual({ ...cleared.body, request_id: after.request_id });
  });

  test('DELETED is final: the principal is shown, and never changed', async () => {
    for (const { principal_id } of [await created(), await created({ status: 'DELETED' })]) {
      await update(principal_id, { status: 'DELETED' });
      const before = (await read(principal_id)).body;
      expect(before.status).toBe('DELETED');
      for (const body of [{ status: 'ACTIVE' }, { status: 'DELETED' }, { expires_at: null }]) {
        expectRefusal(await update(principal_id, body), 'BUS_PRINCIPAL_DELETED');
      }
      expect((await read(principal_id)).body).toMatchObject({ status: 'DELETED', updated_at: before.updated_at });
    }
  });

  test('concurrent changes cannot undo a deletion', async () => {
    const { principal_id } = await created();
    const changes = Array.from({ length: 20 }, (_, index) => (index === 10 ? 'DELETED' : 'ACTIVE'));
    const answers = await Promise.all(changes.map((status) => update(principal_id, { status })));
    for (const answer of answers) {
      if (answer.status !== 200) expectRefusal(answer, 'BUS_PRINCIPAL_DELETED');
    }
    expect(answers[10]?.status).toBe(200);
    expect((await read(principal_id)).body.status).toBe('DELETED');
  });

  test.each([
    ['body', {}],
    ['body/status', { status: 'active' }],
    ['body/status', { status: null }],
    ['body/expires_at', { expires_at: '2026-02-30T00:00:00Z' }],
    ['body/bus_user', { bus_user: 'other' }],
    ['body/bus_user_public_key', { status: 'ACTIVE', bus_user_public_key: 'other' }],
    ['body/client_id', { client_id: 'other' }],
  ])('PUT refuses at %s: %j', async (location, body) => {
    const { principal_id } = await created();
    const answer = await update(principal_id, body);
    expectRefusal(answer, 'VALIDATION_FAILED');
    expect(answer.body.details[0]).toMatchObject({ location });
  });
});

describe('the list', () => {
  test('is newest first, and filters by client and status', async () => {
    const of = await createTenant();
    const [one, two] = await Promise.all([createCredential(of.tenant_id), createCredential(of.tenant_id)]);
    const ids: string[] = [];
    for (const fields of [
      { client_id: one.client_id },
      { client_id: two.client_id, status: 'DISABLED' },
      { client_id: one.client_id, status: 'DELETED' },
      {},
    ]) {
      const answer = await signedRequest(of.admin, 'POST', principals(of), { body: newPrincipal(fields) });
      ids.push(isCreated(answer).principal_id);
      await nextMillisecond();
    }
    const listed = async (query: string) =>
      (await list(query, of)).body.items.map((item: { principal_id: string }) => ids.indexOf(item.principal_id));
    expect(await listed('')).toEqual([3, 2, 1, 0]);
    expect(await listed(`&client_id=${one.client_id}`)).toEqual([2, 0]);
    expect(await listed('&status=ACTIVE')).toEqual([3, 0]);
    expect(await listed(`&client_id=${one.client_id}&status=DELETED`)).toEqual([2]);
    expect(await listed(`&client_id=${tenant.operator.client_id}`)).toEqual([]);
  });

  test('of concurrently created principals is in the order of created_at', async () => {
    const of = await createTenant();
    const creating = Array.from({ length: 30 }, () =>
      signedRequest(of.admin, 'POST', principals(of), { body: newPrincipal() }),
    );
    for (const answer of await Promise.all(creating)) isCreated(answer);
    const times = (await list('', of)).body.items.map((item: { created_at: string }) => item.created_at);
    expect(times).toHaveLength(30);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('shows no principal of another tenant', async () => {
    const { principal_id } = await created();
    expect((await list('', other)).raw).not.toContain(principal_id);
  });
});

describe('client_id', () => {
  test('answers a foreign credential like a missing one', async () => {
    const headers = { 'X-Request-Id': randomUUID() };
    const attempt = (client_id: string) =>
      signedRequest(tenant.admin, 'POST', principals(), { body: newPrincipal({ client_id }), headers });
    const missing = await attempt('never-existed');
    expectRefusal(missing, 'NOT_FOUND');
    expect(missing.body.details).toMatchObject([{ location: 'body/client_id' }]);
    expect((await attempt(other.reader.client_id)).raw).toBe(missing.raw);
    expect((await attempt(platform().admin.client_id)).raw).toBe(missing.raw);
  });

  test('refuses a deleted credential with that reason, and accepts a disabled one', async () => {
    const deleted = await createCredential(tenant.tenant_id, { status: 'DELETED' });
    expectRefusal(await create(newPrincipal({ client_id: deleted.client_id })), 'CREDENTIAL_DELETED');
    const disabled = await createCredential(tenant.tenant_id, { status: 'DISABLED' });
    expect(await created({ client_id: disabled.client_id })).toMatchObject({ client_id: disabled.client_id });
  });
});

describe('fields', () => {
  test.each([
    ['bus_user', ['', 'a b', 'a\n', 'é', 'a'.repeat(129), 1, null]],
    ['service_name', ['', 'a b', '\t', 'a'.repeat(129), null]],
    ['bus_account_public_key', ['', 'A'.repeat(257), 1, null]],
    ['bus_user_public_key', ['', 'U'.repeat(257), 1, null]],
    ['principal_type', ['service', '', null]],
    ['status', ['active', null]],
    ['client_id', ['', 'a b', null]],
    ['expires_at', ['2026-01-31', 0, '']],
  ])('%s out of range is refused with its location', async (field, values) => {
    for (const value of values) {
      const answer = await create(newPrincipal({ [field]: value }));
      expectRefusal(answer, 'VALIDATION_FAILED');
      expect(answer.body.details, JSON.stringify(value)).toMatchObject([{ location: `body/${field}` }]);
    }
  });

  test.each(['bus_user', 'bus_account_public_key', 'bus_user_public_key', 'principal_type'])(
    '%s is required',
    async (field) => {
      const answer = await create(newPrincipal({ [field]: undefined }));
      expectRefusal(answer, 'VALIDATION_FAILED');
      expect(answer.body.details).toMatchObject([{ location: `body/${field}` }]);
    },
  );
});

describe('keys', () => {
  const account = createAccount().getPublicKey();
  const user = createUser().getPublicKey();
  const otherCharacter = (character: string) => (character === 'A' ? 'B' : 'A');
  const changedAt = (key: string, at: number) => key.slice(0, at) + otherCharacter(key.charAt(at)) + key.slice(at + 1);
  const wrongIn = (key: string) => [
    ...[1, 2, 9, 20, 33, 51, 52, 53, 54, 55].map((at) => changedAt(key, at)),
    key.toLowerCase(),
    key.slice(0, 30) + key.slice(30).toLowerCase(),
    key.slice(0, -1),
    key.slice(1),
    ...['A', '=', '\n', ' ', '\u200b', '77'].map((tail) => key + tail),
    ` ${key}`,
    key + key,
    `${key}========`,
    `${key.slice(0, 28)} ${key.slice(28)}`,
    ...[createOperator, createServer, createCluster, createCurve].map((creator) => creator().getPublicKey()),
    Buffer.from(createUser().getPrivateKey()).toString(),
    '-',
    'acme',
  ];

  test('that are not valid are refused with their location', async () => {
    for (const [field, wrong] of [
      ['bus_account_public_key', [...wrongIn(account), user]],
      ['bus_user_public_key', [...wrongIn(user), account]],
    ] as const) {
      for (const value of wrong) {
        const answer = await create(newPrincipal({ [field]: value }));
        expect(answer.status, `${field} ${JSON.stringify(value)}: ${answer.raw}`).toBe(422);
        expectRefusal(answer, 'BUS_KEY_INVALID');
        expect(answer.body.details).toEqual([
          { location: `body/${field}`, code: 'BUS_KEY_INVALID', message: expect.any(String) },
        ]);
      }
    }
  });

  test('that are both wrong are both named', async () => {
    const answer = await create(newPrincipal({ bus_account_public_key: user, bus_user_public_key: account }));
    expectRefusal(answer, 'BUS_KEY_INVALID');
    expect(answer.body.details.map(({ location }: { location: string }) => location)).toEqual([
      'body/bus_account_public_key',
      'body/bus_user_public_key',
    ]);
  });

  test('of each kind, freshly generated, are accepted', async () => {
    for (let count = 0; count < 20; count++) await created();
  });
});
