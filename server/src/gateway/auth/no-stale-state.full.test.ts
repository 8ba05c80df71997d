import { createCredential, createTenant, type Profile, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

/**
 * Five kinds of change, 10 credentials each in parallel, 5 times the change and its reversal: 250 rounds, 500 changes.
 * A node that kept any state would be wrong in nearly every round.
 */
const ROUNDS = 5;
const STAGES = 10;

/** A call that needs a scope of integration_reader. */
const read = (profile: Profile, node: string | undefined) =>
  signedRequest(profile, 'GET', '/api/v1/open/downlink/commands?limit=1', { node });

const put = (target: string, body: object) =>
  signedRequest(platform().admin, 'PUT', `/api/v1/platform/tenants/${target}`, { body, node: platform().nodes[0] });

type Stage = { tenantId: string; profile: Profile; credential: string };

async function stage(): Promise<Stage> {
  const { tenant_id: tenantId, reader: profile } = await createTenant();
  return { tenantId, profile, credential: `${tenantId}/credentials/${profile.client_id}` };
}

const changes: Record<string, (stage: Stage) => Promise<void>> = {
  async 'a disabled credential'({ profile, credential }) {
    expect((await put(credential, { status: 'DISABLED' })).status).toBe(200);
    expect((await read(profile, platform().nodes[1])).body.code).toBe('UNAUTHENTICATED');
    expect((await put(credential, { status: 'ACTIVE' })).status).toBe(200);
    expect((await read(profile, platform().nodes[1])).status).toBe(200);
  },
  async 'a rotated secret'(staged) {
    const { status, body } = await put(staged.credential, { rotate_secret: true });
    expect(status).toBe(200);
    expect((await read(staged.profile, platform().nodes[1])).body.code).toBe('UNAUTHENTICATED');
    staged.profile = { ...staged.profile, secret: body.secret };
    expect((await read(staged.profile, platform().nodes[1])).status).toBe(200);
  },
  async 'an unbound role'({ tenantId, profile }) {
    const bindings = `/api/v1/platform/tenants/${tenantId}/role-bindings`;
    const { admin, nodes } = platform();
    const unbound = await signedRequest(admin, 'DELETE', `${bindings}/${profile.client_id}/integration_reader`, {
      node: nodes[0],
    });
    expect(unbound.status).toBe(200);
    expect((await read(profile, nodes[1])).body.code).toBe('FORBIDDEN');
    const body = { client_id: profile.client_id, role: 'integration_reader' };
    expect((await signedRequest(admin, 'POST', bindings, { body, node: nodes[0] })).status).toBe(201);
    expect((await read(profile, nodes[1])).status).toBe(200);
  },
  async 'a role that no longer grants anything'({ tenantId, profile }) {
    const role = `${tenantId}/roles/own`;
    expect((await put(role, { scopes: ['open:catalog:read'] })).status).toBe(200);
    const bindings = `/api/v1/platform/tenants/${tenantId}/role-bindings`;
    const binding = { client_id: profile.client_id, role: 'own' };
    await signedRequest(platform().admin, 'POST', bindings, { body: binding, node: platform().nodes[0] });
    const unread = `${bindings}/${profile.client_id}/integration_reader`;
    await signedRequest(platform().admin, 'DELETE', unread, { node: platform().nodes[0] });
    const readCatalog = () => signedRequest(profile, 'GET', '/api/v1/open/catalog', { node: platform().nodes[1] });
    expect((await put(role, { scopes: ['open:event:read'] })).status).toBe(200);
    expect((await readCatalog()).body.code).toBe('FORBIDDEN');
    expect((await put(role, { scopes: ['open:catalog:read'] })).status).toBe(200);
    expect((await readCatalog()).status).toBe(200);
  },
  async 'a disabled tenant'({ tenantId, profile }) {
    expect((await put(tenantId, { status: 'DISABLED' })).status).toBe(200);
    expect((await read(profile, platform().nodes[1])).body.code).toBe('UNAUTHENTICATED');
    expect((await put(tenantId, { status: 'ACTIVE' })).status).toBe(200);
    expect((await read(profile, platform().nodes[1])).status).toBe(200);
  },
};

test.each(Object.entries(changes))('another node applies %s to the very next request', async (_, change) => {
  const stages = Array.from({ length: STAGES }, async () => {
    const staged = await stage();
    expect((await read(staged.profile, platform().nodes[1])).status).toBe(200);
    for (let round = 0; round < ROUNDS; round++) await change(staged);
  });
  await Promise.all(stages);
});

test('another node refuses the very next request of a deleted credential', async () => {
  const { tenantId } = await stage();
  for (let round = 0; round < ROUNDS; round++) {
    const profile = await createCredential(tenantId, { role: 'integration_reader' });
    expect((await read(profile, platform().nodes[1])).status).toBe(200);
    expect((await put(`${tenantId}/credentials/${profile.client_id}`, { status: 'DELETED' })).status).toBe(200);
    expect((await read(profile, platform().nodes[1])).body.code).toBe('UNAUTHENTICATED');
  }
});

test('every node accepts a new secret at once while the old one is still in use', async () => {
  const staged = await stage();
  const { nodes } = platform();
  for (let round = 0; round < 5; round++) {
    const old = staged.profile;
    await Promise.all(nodes.map((node) => read(old, node)));
    const { body } = await put(staged.credential, { rotate_secret: true, previous_secret_ttl_seconds: 600 });
    staged.profile = { ...old, secret: body.secret };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => read(index % 2 ? old : staged.profile, nodes[(index >> 1) % 2])),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(200));
  }
});
