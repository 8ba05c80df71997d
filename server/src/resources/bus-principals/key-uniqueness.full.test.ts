import { randomUUID } from 'node:crypto';
import { createAccount, createUser } from '@nats-io/nkeys';
import {
  type Answer,
  createCredential,
  createTenant,
  signedRequest,
  type TestTenant,
} from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { newPrincipal } from '../../../test/support/new-principal.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);

type Options = { headers?: Record<string, string>; node?: string };

const create = (of: TestTenant, fields: object = {}, options: Options = {}) =>
  signedRequest(of.admin, 'POST', `/api/v1/platform/tenants/${of.tenant_id}/bus/principals`, {
    body: newPrincipal(fields),
    ...options,
  });

function expectCreated(answer: Answer): void {
  expect(answer.status, answer.raw).toBe(201);
}

const newUserKey = () => createUser().getPublicKey();
const newAccountKey = () => createAccount().getPublicKey();

test('a user key belongs to one principal of the platform, and a refusal does not reveal its owner', async () => {
  const keys = { bus_user_public_key: newUserKey() };
  expectCreated(await create(tenant, keys));
  const headers = { 'X-Request-Id': randomUUID() };
  const own = await create(tenant, keys, { headers });
  expectRefusal(own, 'BUS_PRINCIPAL_ALREADY_EXISTS');
  const foreign = await create(other, keys, { headers });
  expect([foreign.status, foreign.raw]).toEqual([own.status, own.raw]);
});

test('a user key of a deleted principal is never free again', async () => {
  const keys = { bus_user_public_key: newUserKey(), bus_account_public_key: newAccountKey() };
  const { body } = await create(tenant, keys);
  const target = `/api/v1/platform/tenants/${tenant.tenant_id}/bus/principals/${body.principal_id}`;
  expect((await signedRequest(tenant.admin, 'PUT', target, { body: { status: 'DELETED' } })).status).toBe(200);
  for (const of of [tenant, other]) expectRefusal(await create(of, keys), 'BUS_PRINCIPAL_ALREADY_EXISTS');

  const reserved = { bus_user_public_key: newUserKey() };
  expectCreated(await create(tenant, { ...reserved, status: 'DELETED' }));
  for (const of of [tenant, other]) expectRefusal(await create(of, reserved), 'BUS_PRINCIPAL_ALREADY_EXISTS');
});

test('an account key serves any number of principals of one tenant, and none of another', async () => {
  const keys = { bus_account_public_key: newAccountKey() };
  for (let count = 0; count < 3; count++) expectCreated(await create(tenant, keys));
  const headers = { 'X-Request-Id': randomUUID() };
  const refused = await create(other, keys, { headers });
  expectRefusal(refused, 'BUS_PRINCIPAL_ALREADY_EXISTS');
  const taken = { bus_user_public_key: newUserKey() };
  expectCreated(await create(tenant, taken));
  expect((await create(other, taken, { headers })).raw).toBe(refused.raw);
});

test('of 30 concurrent principals with one user key, in two tenants, exactly one exists', async () => {
  const bus_user_public_key = newUserKey();
  const answers = await onBothNodes(30, (node, index) =>
    create(index % 3 === 0 ? tenant : other, { bus_user_public_key }, { node }),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, 'BUS_PRINCIPAL_ALREADY_EXISTS');
});

test('a new account key that 30 creations use at once serves every principal of its tenant, and exactly one of two tenants', async () => {
  const ofOne = { bus_account_public_key: newAccountKey() };
  for (const answer of await onBothNodes(30, (node) => create(tenant, ofOne, { node }))) expectCreated(answer);

  const ofTwo = { bus_account_public_key: newAccountKey() };
  const answers = await onBothNodes(30, (node, index) => create(index % 3 === 0 ? tenant : other, ofTwo, { node }));
  const owners = new Set(answers.flatMap(({ status, body }) => (status === 201 ? [body.tenant_id] : [])));
  expect(owners.size).toBe(1);
  answers.forEach((answer, index) => {
    if (owners.has((index % 3 === 0 ? tenant : other).tenant_id)) expectCreated(answer);
    else expectRefusal(answer, 'BUS_PRINCIPAL_ALREADY_EXISTS');
  });
});

test('a refused creation uses up neither of its keys', async () => {
  const usedUserKey = newUserKey();
  const usedAccountKey = newAccountKey();
  const { client_id } = await createCredential(tenant.tenant_id, { status: 'DELETED' });
  expectCreated(await create(other, { bus_user_public_key: usedUserKey, bus_account_public_key: usedAccountKey }));

  for (const [code, fields] of [
    ['BUS_PRINCIPAL_ALREADY_EXISTS', { bus_user_public_key: usedUserKey }],
    ['BUS_PRINCIPAL_ALREADY_EXISTS', { bus_account_public_key: usedAccountKey }],
    ['CREDENTIAL_DELETED', { client_id }],
    ['NOT_FOUND', { client_id: 'never-existed' }],
    ['BUS_KEY_INVALID', { bus_user_public_key: newAccountKey() }],
    ['BUS_SEED_NOT_ALLOWED', { bus_account_public_key: 'SA' }],
    ['VALIDATION_FAILED', { principal_type: 'NONE' }],
  ] as const) {
    const keys = { bus_user_public_key: newUserKey(), bus_account_public_key: newAccountKey() };
    expectRefusal(await create(tenant, { ...keys, ...fields }), code);
    expectCreated(await create(other, keys));
  }
});
