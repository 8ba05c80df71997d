import { createCredential, type Profile, signedRequest, type TestTenant } from '@tenant-open-platform/testing';

/** A credential that may reply to devices, which no built-in role grants: by a role of the tenant's own. */
export async function createReplier({ tenant_id, admin }: TestTenant): Promise<Profile> {
  const role = `/api/v1/platform/tenants/${tenant_id}/roles/replier`;
  const { status, raw } = await signedRequest(admin, 'PUT', role, { body: { scopes: ['open:device-request:create'] } });
  if (status !== 200) throw new Error(raw);
  return createCredential(tenant_id, { role: 'replier' });
}
