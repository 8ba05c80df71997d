import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../test/support/commands.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { newPrincipal } from '../../../test/support/new-principal.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';
import { unique } from '../../../test/support/unique.js';

const tenant = await createTenant();
const target = `/api/v1/platform/tenants/${tenant.tenant_id}`;

const limitTo = async (vendors: string[] | null) => {
  const answer = await signedRequest(platform().admin, 'PUT', target, { body: { vendors } });
  expect([answer.status, answer.body.vendors]).toEqual([200, vendors]);
};

const command = (vendor: string, idempotency_key = unique('key')) => ({
  vendor,
  device_id: 'ok-1',
  command_type: 'reboot',
  payload: {},
  idempotency_key,
});

const send = (body: object, node?: string) =>
  signedRequest(tenant.operator, 'POST', COMMANDS, { body, ...(node && { node }) });

test('a limit holds for commands from the next request on, on every node, and so does its end', async () => {
  for (const [vendors, status] of [
    [['vendor_a'], 422],
    [null, 202],
    [['vendor_a'], 422],
    [['vendor_a', 'vendor_b'], 202],
  ] as const) {
    await limitTo(vendors && [...vendors]);
    const answers = await onBothNodes(4, (node) => send(command('vendor_b'), node));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
    expect((await send(command('vendor_a'))).status).toBe(202);
  }
});

test('a refused command says why, and a used key is still answered with its command', async () => {
  await limitTo(null);
  const used = command('vendor_b');
  const { body } = await send(used);
  await limitTo(['vendor_a']);
  expectRefusal(await send(command('vendor_b')), 'VENDOR_NOT_ENABLED');
  const again = await send(used);
  expect([again.status, again.body.command_id, again.headers['idempotent-replayed']]).toEqual([
    202,
    body.command_id,
    'true',
  ]);
});

test("the catalog shows the tenant's vendors alone", async () => {
  const vendorsOf = async () =>
    (await signedRequest(tenant.operator, 'GET', '/api/v1/open/catalog')).body.vendors.map(
      ({ vendor }: { vendor: string }) => vendor,
    );
  await limitTo(['vendor_a']);
  expect(await vendorsOf()).toEqual(['vendor_a']);
  await limitTo(null);
  expect(await vendorsOf()).toEqual(expect.arrayContaining(['vendor_a', 'vendor_b']));
});

test('a principal is limited to vendors that its tenant may use', async () => {
  await limitTo(['vendor_a']);
  const principals = `${target}/bus/principals`;
  const create = (vendors: string[]) =>
    signedRequest(tenant.admin, 'POST', principals, {
      body: { ...newPrincipal(), principal_type: 'SERVICE', vendors },
    });
  for (const vendor of ['vendor_b', unique('vendor')]) {
    const refused = await create(['vendor_a', vendor]);
    expectRefusal(refused, 'NOT_FOUND');
    expect(refused.body.details).toMatchObject([{ location: 'body/vendors/1' }]);
  }
  const created = await create(['vendor_a']);
  expect([created.status, created.body.vendors]).toEqual([201, ['vendor_a']]);
  const one = `${principals}/${created.body.principal_id}`;
  expectRefusal(await signedRequest(tenant.admin, 'PUT', one, { body: { vendors: ['vendor_b'] } }), 'NOT_FOUND');
  const widened = await signedRequest(tenant.admin, 'PUT', one, { body: { vendors: null } });
  expect([widened.status, widened.body.vendors]).toEqual([200, null]);
});

test('only SERVICE principals have vendors, and a tenant only vendors of the catalog', async () => {
  const principals = `${target}/bus/principals`;
  const client = { ...newPrincipal(), principal_type: 'CLIENT' };
  const refused = await signedRequest(tenant.admin, 'POST', principals, { body: { ...client, vendors: ['vendor_a'] } });
  expectRefusal(refused, 'VALIDATION_FAILED');
  const { principal_id } = (await signedRequest(tenant.admin, 'POST', principals, { body: client })).body;
  const one = `${principals}/${principal_id}`;
  expectRefusal(
    await signedRequest(tenant.admin, 'PUT', one, { body: { vendors: ['vendor_a'] } }),
    'VALIDATION_FAILED',
  );

  const unknown = { vendors: ['vendor_a', unique('vendor')] };
  expectRefusal(await signedRequest(platform().admin, 'PUT', target, { body: unknown }), 'NOT_FOUND');
  const fresh = { tenant_id: unique('tenant'), name: 'Narrow', ...unknown };
  expectRefusal(
    await signedRequest(platform().admin, 'POST', '/api/v1/platform/tenants', { body: fresh }),
    'NOT_FOUND',
  );
});
