import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { asTenant } from '../../foundation/database/row-level-security.js';
import { scopesOfRole } from './granting.js';

const database = openPool();

test('a binding grants the scopes that its author was checked for: a change of the role on another node waits for it', async () => {
  const { tenant_id, admin } = await createTenant();
  const put = async (scope: string) => {
    const target = `/api/v1/platform/tenants/${tenant_id}/roles/own`;
    return (await signedRequest(admin, 'PUT', target, { body: { scopes: [scope] } })).status;
  };
  expect(await put('open:catalog:read')).toBe(200);
  const { first, change } = await asTenant(database, tenant_id, async (tx) => {
    expect(await scopesOfRole(tx, tenant_id, 'own')).toEqual(['open:catalog:read']);
    const [{ pid } = { pid: 0 }] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    const change = put('platform:credential:create');
    const waits = vi.waitFor(
      async () => {
        const waiting = await database.sql`select from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`;
        expect(waiting).toHaveLength(1);
      },
      { timeout: 20_000 },
    );
    return { first: await Promise.race([waits.then(() => 'it waits'), change.then(() => 'it is done')]), change };
  });
  expect([first, await change]).toEqual(['it waits', 200]);
});
