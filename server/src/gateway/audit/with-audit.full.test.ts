import { createTenant, type Profile, platform, signedRequest } from '@tenant-open-platform/testing';
import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { unique } from '../../../test/support/unique.js';
import type { Transaction } from '../../foundation/database/database.js';
import { asTenant } from '../../foundation/database/row-level-security.js';
import type { Call } from '../operation/call.js';
import { withAudit } from './audit.js';

const database = openPool();
const tenant = await createTenant();

type Names = { role: string; requestId: string; path: string };

const callOf = (tenantId: string, caller: Profile, { requestId, path }: Omit<Names, 'role'>): Call => ({
  operation: 'roles.put',
  requestId,
  path,
  caller: { tenantId: caller.tenant_id, clientId: caller.client_id },
  sourceAddress: null,
  tenantId,
  admittedAt: new Date(),
  asTenant: (work, id = tenantId) => asTenant(database, id, work),
  onClosed: () => {},
  countRequest: () => null,
  expectItems: () => null,
  changeBytesPerDay: Number.POSITIVE_INFINITY,
});

const insertRole = (tx: Transaction, tenantId: string, role: string) =>
  tx.execute(sql`insert into roles (tenant_id, role) values (${tenantId}, ${role})`);

/** A change of the tenant as a handler makes it: a new role. The log keeps `path` as the target. */
function createRole({ role, fails, ...names }: Names & { fails: boolean }) {
  const { tenant_id: tenantId, admin } = tenant;
  return withAudit(callOf(tenantId, admin, names), { fields: {} }, async (tx) => {
    await insertRole(tx, tenantId, role);
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

function promised<Value>() {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((fulfill) => {
    resolve = fulfill;
  });
  return { promise, resolve };
}

test('the deletion of a tenant waits for a change that has begun', async () => {
  const { tenant_id: tenantId } = await createTenant();
  const target = `/api/v1/platform/tenants/${tenantId}`;
  await signedRequest(platform().admin, 'PUT', target, { body: { status: 'DISABLED' } });
  const begun = promised<number>();
  const mayWrite = promised<void>();
  const names = { requestId: unique('request'), path: 'roles' };
  const change = withAudit(callOf(tenantId, platform().admin, names), { fields: {} }, async (tx) => {
    const [{ pid } = { pid: 0 }] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    begun.resolve(pid);
    await mayWrite.promise;
    await insertRole(tx, tenantId, unique('role'));
    return { before: null, after: {}, result: 'changed' };
  });
  const pid = await begun.promise;
  const deletion = signedRequest(platform().admin, 'DELETE', `${target}?confirm=${tenantId}`);
  const waits = vi.waitFor(
    async () => {
      const waiting = await database.sql`select from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`;
      expect(waiting).toHaveLength(1);
    },
    { timeout: 60_000 },
  );
  const first = await Promise.race([waits.then(() => 'the deletion waits'), deletion.then(() => 'it has begun')]);
  mayWrite.resolve();
  expect([first, await change, (await deletion).status]).toEqual(['the deletion waits', 'changed', 202]);
  const late = callOf(tenantId, platform().admin, names);
  const nothing = async () => ({ before: null, after: null, result: null });
  await expect(withAudit(late, { fields: {} }, nothing)).rejects.toMatchObject({ code: 'TENANT_DELETED' });
});
