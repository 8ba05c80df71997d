import { createCredential, type Profile, signedRequest, type TestTenant } from '@tenant-open-platform/testing';

/** A credential that may reply to devices. No built-in role grants that, so the tenant has a role that does. */
export async function createReplier({ tenant_id, admin }: TestTenant): Promise<Profile> {
  const role = `/api/v1/platform/tenants/${tenant_id}/roles/replier`;
  const { status, raw } = await signedRequest(admin, 'PUT', role, { body: { scopes: ['open:device-request:create'] } });
  if (status !== 200) throw new Error(raw);
  return createCredential(tenant_id, { role: 'replier' });
}
