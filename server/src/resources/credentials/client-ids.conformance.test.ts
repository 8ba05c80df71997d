import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const [own, other] = [await createTenant(), await createTenant()];

const create = async (tenant: typeof own, client_id: string, fields: object = {}) => {
  const target = `/api/v1/platform/tenants/${tenant.tenant_id}/credentials`;
  const { status, body } = await signedRequest(tenant.admin, 'POST', target, {
    body: { client_id, name: 'n', ...fields },
  });
  return { client_id, outcome: `${status} ${body.code}`, profile: { ...tenant.admin, client_id, secret: body.secret } };
};
const TAKEN = '409 CREDENTIAL_ALREADY_EXISTS';
const CREATED = '201 undefined';

test('a client_id that differs from a taken one only in case is refused in every tenant, and lets nobody in', async () => {
  const { outcome, profile } = await create(own, `Case-${own.tenant_id}`);
  expect(outcome).toBe(CREATED);
  const variants = [profile.client_id.toLowerCase(), profile.client_id.toUpperCase()];
  for (const client_id of variants) {
    for (const tenant of [own, other]) {
      for (const fields of [{}, { rotate_secret: true }]) {
        expect((await create(tenant, client_id, fields)).outcome).toBe(TAKEN);
      }
    }
    const { status } = await signedRequest({ ...profile, client_id }, 'GET', '/api/v1/open/me');
    expect(status).toBe(401);
  }
  expect((await signedRequest(profile, 'GET', '/api/v1/open/me')).status).toBe(200);
  expect((await create(other, platform().demo.client_id.toUpperCase())).outcome).toBe(TAKEN);
  // These are other letters, not other cases of the same ones.
  for (const client_id of [`i-${own.tenant_id}`, `1-${own.tenant_id}`]) {
    expect((await create(other, client_id)).outcome).toBe(CREATED);
  }
});

test('of requests at the same time whose client ids differ only in case, one creates its credential', async () => {
  for (let round = 0; round < 5; round++) {
    const name = `race-${round}-${own.tenant_id}`.toLowerCase();
    const variants = [...name].flatMap((letter, index) =>
      /[a-z]/.test(letter) ? [name.slice(0, index) + letter.toUpperCase() + name.slice(index + 1)] : [],
    );
    const made = await Promise.all(
      [name, ...variants].map((client_id, index) => create(index % 2 === 0 ? own : other, client_id)),
    );
    const outcomes = made.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([CREATED, ...Array(variants.length).fill(TAKEN)]);
    const [winner] = made.filter(({ outcome }) => outcome === CREATED);
    expect((await signedRequest(winner?.profile ?? own.admin, 'GET', '/api/v1/open/me')).body.client_id).toBe(
      winner?.client_id,
    );
  }
});
