import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { unique } from '../../../test/support/unique.js';
import { asTenant } from '../../foundation/database/roles.js';
import type { Call } from '../operation/call.js';
import { withAudit } from './audit.js';

const database = openPool();
const tenant = await createTenant();

/** A change of the tenant as a handler makes it: a new role. The log keeps `path` as the target. */
function createRole({
  role,
  requestId,
  path,
  fails,
}: {
  role: string;
  requestId: string;
  path: string;
  fails: boolean;
}) {
  const { tenant_id: tenantId, admin } = tenant;
  const call: Call = {
    operation: 'roles.put',
    requestId,
    path,
    caller: { tenantId, clientId: admin.client_id },
    sourceAddress: null,
    tenantId,
    admittedAt: new Date(),
    asTenant: (work, id = tenantId) => asTenant(database, id, work),
    countRequest: () => null,
  };
  return withAudit(call, { fields: {} }, async (tx) => {
    await tx.execute(sql`insert into roles (tenant_id, role) values (${tenantId}, ${role})`);
    if (fails) throw new Error('The change failed.');
    return { before: null, after: { role }, result: null };
  });
}

async function stored({ role, requestId }: { role: string; requestId: string }) {
  const of = (collection: string) =>
    signedRequest(tenant.admin, 'GET', `/api/v1/platform/tenants/${tenant.tenant_id}/${collection}?limit=500`);
  const [roles, log] = await Promise.all([of('roles'), of('audit-events')]);
  return {
    changed: roles.body.items.some((item: { role: string }) => item.role === role),
    entered: log.body.items.some((item: { request_id: string }) => item.request_id === requestId),
  };
}

/** Postgres stores no NUL in text, so the entry fails and the change does not. */
const UNSTORABLE = '\0';

test.each([
  { outcome: 'both are stored', path: 'roles', fails: false, stands: true },
  { outcome: 'the change is rolled back if its entry cannot be stored', path: UNSTORABLE, fails: false, stands: false },
  { outcome: 'no entry is stored if the change fails', path: 'roles', fails: true, stands: false },
])('a change and its audit entry are atomic: $outcome', async ({ path, fails, stands }) => {
  const names = { role: unique('role'), requestId: unique('request') };
  const creating = createRole({ ...names, path, fails });
  if (stands) await creating;
  else await expect(creating).rejects.toThrow();
  expect(await stored(names)).toEqual({ changed: stands, entered: stands });
});
