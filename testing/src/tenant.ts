import { randomBytes } from 'node:crypto';
import { platform } from './platform.js';
import type { Profile } from './profile.js';
import { type Answer, signedRequest } from './signed-request.js';

export type TestTenant = { tenant_id: string; admin: Profile; operator: Profile; reader: Profile };

async function create(target: string, body: object): Promise<Answer> {
  const answer = await signedRequest(platform().admin, 'POST', target, { body });
  if (answer.status !== 201) throw new Error(`POST ${target} answered ${answer.status}: ${answer.raw}`);
  return answer;
}

/**
 * A credential of the tenant, bound to `role` if one is given; the remaining fields are those of credentials.create.
 */
export async function createCredential(
  tenantId: string,
  { role, ...fields }: { role?: string; [field: string]: unknown } = {},
): Promise<Profile> {
  const credential = { client_id: `client-${randomBytes(8).toString('hex')}`, name: role ?? 'No role', ...fields };
  const target = `/api/v1/platform/tenants/${tenantId}`;
  const { body } = await create(`${target}/credentials`, credential);
  if (role !== undefined) await create(`${target}/role-bindings`, { client_id: credential.client_id, role });
  return {
    base_url: platform().admin.base_url,
    tenant_id: tenantId,
    client_id: credential.client_id,
    secret: body.secret,
  };
}

/** A separate tenant for each test file that needs one, so that files share only the servers. */
export async function createTenant(): Promise<TestTenant> {
  const tenantId = `tenant-${randomBytes(8).toString('hex')}`;
  await create('/api/v1/platform/tenants', { tenant_id: tenantId, name: 'Test tenant' });
  const [admin, operator, reader] = await Promise.all([
    createCredential(tenantId, { role: 'tenant_admin' }),
    createCredential(tenantId, { role: 'integration_operator' }),
    createCredential(tenantId, { role: 'integration_reader' }),
  ]);
  return { tenant_id: tenantId, admin, operator, reader };
}

/** A credential of the tenant `platform` that every operation admits. */
export async function createCallerOfEverything(): Promise<Profile> {
  const caller = await createCredential('platform', { role: 'platform_admin' });
  const { client_id } = caller;
  const target = '/api/v1/platform/tenants/platform';
  for (const role of ['tenant_admin', 'integration_operator'])
    await create(`${target}/role-bindings`, { client_id, role });
  await create(`${target}/policies`, { client_id, scope: 'open:device-request:create' });
  return caller;
}
