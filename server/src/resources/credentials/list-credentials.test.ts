import { createCredential, createTenant, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';

async function listed(admin: Profile, query: string) {
  const target = `/api/v1/platform/tenants/${admin.tenant_id}/credentials?${query}`;
  const { status, raw, body, headers } = await signedRequest(admin, 'GET', target);
  expect(status, raw).toBe(200);
  const items = body as { client_id: string; status: string }[];
  return { ids: items.map(({ client_id }) => client_id), items, link: headers.link as string | undefined };
}

test('lists the credentials of one or several statuses, in pages that keep to them', async () => {
  const { tenant_id, admin } = await createTenant();
  const made: Record<string, string[]> = { DISABLED: [], DELETED: [] };
  for (const status of ['DISABLED', 'DELETED', 'DISABLED', 'DELETED', 'DISABLED']) {
    made[status]?.push((await createCredential(tenant_id, { status })).client_id);
  }
  expect(new Set((await listed(admin, 'status=DISABLED')).ids)).toEqual(new Set(made.DISABLED));
  const inactive = (await listed(admin, 'status=DISABLED%2CDELETED')).ids;
  expect(new Set(inactive)).toEqual(new Set([...(made.DISABLED ?? []), ...(made.DELETED ?? [])]));
  expect((await listed(admin, 'status=ACTIVE')).ids).toContain(admin.client_id);

  const paged: string[] = [];
  let query: string | undefined = 'limit=2&status=DISABLED,DELETED';
  while (query !== undefined) {
    const { ids, link } = await listed(admin, query);
    paged.push(...ids);
    query = link && /\?([^>]+)>/.exec(link)?.[1];
  }
  expect(paged).toEqual(inactive);
});

test.each(['', 'GONE', 'ACTIVE,', 'ACTIVE,ACTIVE', 'active'])('refuses the status %j', async (status) => {
  const { tenant_id, admin } = await createTenant();
  const target = `/api/v1/platform/tenants/${tenant_id}/credentials?status=${status}`;
  expectRefusal(await signedRequest(admin, 'GET', target), status === '' ? 'INVALID_TARGET' : 'VALIDATION_FAILED');
});
