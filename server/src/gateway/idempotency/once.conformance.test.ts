import {
  type Answer,
  createCredential,
  createTenant,
  type Profile,
  platform,
  signedRequest,
  type TestTenant,
} from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';
import { unique } from '../../../test/support/unique.js';

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);

const credentialsOf = ({ tenant_id }: TestTenant) => `/api/v1/platform/tenants/${tenant_id}/credentials`;

const newBody = () => ({ client_id: unique('client'), name: 'Backend' });

type Keyed = { key: string | string[]; body: object; caller?: Profile; of?: TestTenant; node?: string };

const create = ({ key, body, caller = tenant.admin, of = tenant, node }: Keyed) =>
  signedRequest(caller, 'POST', credentialsOf(of), {
    body,
    headers: { 'Idempotency-Key': key },
    ...(node !== undefined && { node }),
  });

const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

async function entriesOf({ tenant_id }: TestTenant, clientId: string) {
  const log = `/api/v1/platform/tenants/${tenant_id}/audit-events?limit=500&operation=credentials.create`;
  const { body } = await signedRequest(platform().admin, 'GET', log);
  return body.items.filter(({ target }: { target: string }) => target.endsWith(`/${clientId}`));
}

test('a request that is sent again after its answer was lost gets the secret of the first', async () => {
  const [key, body] = [unique('key'), newBody()];
  const lost = await create({ key, body });
  const again = await create({ key, body });
  expect([lost.status, again.status, isReplay(lost), isReplay(again)]).toEqual([201, 201, false, true]);
  expect(again.body).toEqual({ ...lost.body, request_id: again.headers['x-request-id'] });
  expect(again.body.request_id).not.toBe(lost.body.request_id);
  const { secret } = again.body;
  expect(
    (await signedRequest({ ...tenant.admin, client_id: body.client_id, secret }, 'GET', '/api/v1/open/me')).status,
  ).toBe(200);
});

test('the order of the fields does not matter', async () => {
  const [key, { client_id, name }] = [unique('key'), newBody()];
  const first = await create({ key, body: { client_id, name } });
  expect((await create({ key, body: { name, client_id } })).body.secret).toBe(first.body.secret);
});

test('of 20 equal requests at once one creates the credential, and all get its secret', async () => {
  const [key, body] = [unique('key'), newBody()];
  const answers = await onBothNodes(20, (node) => create({ key, body, node }));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect(new Set(answers.map((answer) => answer.body.secret)).size).toBe(1);
  expect(answers.filter(isReplay)).toHaveLength(19);
  expect(await entriesOf(tenant, body.client_id)).toHaveLength(1);
});

test('a rotation happens once', async () => {
  const body = newBody();
  await create({ key: unique('key'), body });
  const rotate = (key: string) =>
    signedRequest(tenant.admin, 'PUT', `${credentialsOf(tenant)}/${body.client_id}`, {
      body: { rotate_secret: true },
      headers: { 'Idempotency-Key': key },
    });
  const key = unique('key');
  const [first, again, next] = [await rotate(key), await rotate(key), await rotate(unique('key'))];
  expect([first, again, next].map((answer) => answer.body.secret_version)).toEqual([2, 2, 3]);
  expect(again.body.secret).toBe(first.body.secret);
  expect(next.body.secret).not.toBe(first.body.secret);
});

describe('a key', () => {
  test('with another body is refused and shows nothing of the first answer', async () => {
    const [key, body] = [unique('key'), newBody()];
    const first = await create({ key, body });
    const different = { ...newBody(), name: 'Another' };
    const answer = await create({ key, body: different });
    expectRefusal(answer, 'IDEMPOTENCY_KEY_REUSED');
    expect(answer.raw).not.toContain(first.body.secret);
    expect(isReplay(answer)).toBe(false);
    const created = `${credentialsOf(tenant)}/${different.client_id}`;
    expectRefusal(await signedRequest(tenant.admin, 'GET', created), 'NOT_FOUND');
  });

  test('with another path of the same operation is refused', async () => {
    const [one, two] = [newBody(), newBody()];
    for (const body of [one, two]) await create({ key: unique('key'), body });
    const headers = { 'Idempotency-Key': unique('key') };
    const rename = ({ client_id }: { client_id: string }) =>
      signedRequest(tenant.admin, 'PUT', `${credentialsOf(tenant)}/${client_id}`, { body: { name: 'New' }, headers });
    expect((await rename(one)).status).toBe(200);
    expectRefusal(await rename(two), 'IDEMPOTENCY_KEY_REUSED');
  });

  test('belongs to one credential: to another it is new', async () => {
    const [key, body] = [unique('key'), newBody()];
    const first = await create({ key, body });
    const second = await createCredential(tenant.tenant_id, { role: 'tenant_admin' });
    for (const caller of [second, platform().admin]) {
      const answer = await create({ key, body, caller });
      expectRefusal(answer, 'CREDENTIAL_ALREADY_EXISTS');
      expect(answer.raw).not.toContain(first.body.secret);
    }
  });

  test('belongs to one tenant: in another it is new', async () => {
    const key = unique('key');
    const caller = platform().admin;
    const answers = [
      await create({ key, body: newBody(), caller, of: tenant }),
      await create({ key, body: newBody(), caller, of: other }),
    ];
    expect(answers.map(({ body }) => body.tenant_id)).toEqual([tenant.tenant_id, other.tenant_id]);
    expect(answers.map(isReplay)).toEqual([false, false]);
  });

  test('belongs to one operation', async () => {
    const [key, body] = [unique('key'), newBody()];
    await create({ key, body });
    const renamed = await signedRequest(tenant.admin, 'PUT', `${credentialsOf(tenant)}/${body.client_id}`, {
      body: { name: 'Renamed' },
      headers: { 'Idempotency-Key': key },
    });
    expect([renamed.status, renamed.body.name, isReplay(renamed)]).toEqual([200, 'Renamed', false]);
  });

  test('is not used up by a refused request', async () => {
    const key = unique('key');
    const taken = { client_id: tenant.admin.client_id, name: 'Taken' };
    expectRefusal(await create({ key, body: taken }), 'CREDENTIAL_ALREADY_EXISTS');
    const answer = await create({ key, body: newBody() });
    expect([answer.status, isReplay(answer)]).toEqual([201, false]);
  });

  test('does not help a credential that has lost its permission', async () => {
    const [key, body] = [unique('key'), newBody()];
    const caller = await createCredential(tenant.tenant_id, { role: 'tenant_admin' });
    expect((await create({ key, body, caller })).status).toBe(201);
    const binding = `/api/v1/platform/tenants/${tenant.tenant_id}/role-bindings/${caller.client_id}/tenant_admin`;
    expect((await signedRequest(tenant.admin, 'DELETE', binding)).status).toBe(200);
    expectRefusal(await create({ key, body, caller }), 'FORBIDDEN');
  });

  test.each([[''], ['a b'], ['k'.repeat(129)], ['caf\u00e9'], [['one', 'two']]])(
    '%j is refused with its location',
    async (key) => {
      const answer = await create({ key, body: newBody() });
      expectRefusal(answer, 'VALIDATION_FAILED');
      expect(answer.body.details).toMatchObject([{ location: 'header/Idempotency-Key' }]);
    },
  );

  test.each(['!', '~', 'k'.repeat(128), 'a:b:c'])('%j is accepted', async (key) => {
    const { status, raw } = await create({ key, body: newBody(), caller: await administrator() });
    expect(status, raw).toBe(201);
  });
});

const administrator = () => createCredential(tenant.tenant_id, { role: 'tenant_admin' });
