import { type Answer, createTenant, signedRequest } from '@tenant-open-platform/testing';
import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { openPool } from '../../../test/support/open-pool.js';
import type { Transaction } from '../../foundation/database/database.js';
import { asTenant } from '../../foundation/database/row-level-security.js';
import { roleBindings } from '../../foundation/tables.js';
import { scopesOfRole } from './granting.js';

const database = openPool();

const rolesOf = (tenantId: string) => `/api/v1/platform/tenants/${tenantId}/roles`;

/** Sends a request to a node while the transaction is open. Returns what comes first: that it waits, or its answer. */
async function sendBeside(tx: Transaction, send: () => Promise<Answer>) {
  const [{ pid } = { pid: 0 }] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const answer = send();
  const waits = vi.waitFor(
    async () => {
      const waiting = await database.sql`select from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`;
      expect(waiting).toHaveLength(1);
    },
    { timeout: 60_000 },
  );
  return { first: await Promise.race([waits.then(() => 'it waits'), answer.then(() => 'it is done')]), answer };
}

test('a binding grants the scopes that its author was checked for: a change of the role on another node waits for it', async () => {
  const { tenant_id, admin } = await createTenant();
  const put = (scope: string) =>
    signedRequest(admin, 'PUT', `${rolesOf(tenant_id)}/own`, { body: { scopes: [scope] } });
  expect((await put('open:catalog:read')).status).toBe(200);
  const { first, answer } = await asTenant(database, tenant_id, async (tx) => {
    expect(await scopesOfRole(tx, tenant_id, 'own')).toEqual(['open:catalog:read']);
    return sendBeside(tx, () => put('platform:credential:create'));
  });
  expect([first, (await answer).status]).toEqual(['it waits', 200]);
});

test('a binding does not outlive its role: a deletion of the role on another node waits for it, and is refused', async () => {
  const { tenant_id, admin, reader } = await createTenant();
  const target = `${rolesOf(tenant_id)}/own`;
  const made = await signedRequest(admin, 'PUT', target, { body: { scopes: ['open:catalog:read'] } });
  expect(made.status).toBe(200);
  const { first, answer } = await asTenant(database, tenant_id, async (tx) => {
    await scopesOfRole(tx, tenant_id, 'own');
    await tx.insert(roleBindings).values({ tenantId: tenant_id, clientId: reader.client_id, role: 'own' });
    return sendBeside(tx, () => signedRequest(admin, 'DELETE', target));
  });
  expect(first).toBe('it waits');
  expectRefusal(await answer, 'ROLE_IN_USE');
  const { body } = await signedRequest(admin, 'GET', rolesOf(tenant_id));
  expect(body.items).toContainEqual(expect.objectContaining({ role: 'own', scopes: ['open:catalog:read'] }));
});
