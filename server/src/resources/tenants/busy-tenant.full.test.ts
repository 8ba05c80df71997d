import { randomUUID } from 'node:crypto';
import { createTenant, type Profile, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { newCommand } from '../../../test/support/commands.js';
import { openPool } from '../../../test/support/open-pool.js';
import { untilServed } from '../../../test/support/until-served.js';
import type { Database } from '../../foundation/database/database.js';

/** More than a node has connections to Postgres. */
const AT_ONCE = 30;

/** What waits for its turn is refused after 5 seconds. */
const REFUSED_AFTER_MS = 4_000;

/** With a nonce of its own it is not repeated after a 503. */
const createEndpoint = (caller: Profile, node: string) =>
  signedRequest(caller, 'POST', '/api/v1/open/callbacks/endpoints', {
    node,
    nonce: randomUUID(),
    body: { name: 'Order system', url: 'https://hooks.acme.example/top' },
  });

const blockedBy = (holder: { pid: number } | undefined, { sql }: Pick<Database, 'sql'>) => sql`
  select from pg_stat_activity where ${holder?.pid as number} = any(pg_blocking_pids(pid))`;

test('changes of one tenant that wait for a lock leave the database connections to other tenants', async () => {
  const [busy, other] = await Promise.all([createTenant(), createTenant()]);
  const { databaseUrl, nodes } = platform();
  const node = nodes[0] as string;
  const administrator = openPool(databaseUrl as string, { max: 1 });
  const locking = openPool(databaseUrl as string, { max: 1 });
  const lock = locking.sql;
  const [holder] = await lock<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await lock`begin`;
  await lock`select from tenants where tenant_id = ${busy.operator.tenant_id} for no key update`;
  const lockedAt = performance.now();

  const waiting = Promise.all(Array.from({ length: AT_ONCE }, () => createEndpoint(busy.admin, node)));
  await vi.waitFor(
    async () => {
      expect(await blockedBy(holder, administrator)).not.toEqual([]);
    },
    { timeout: 60_000 },
  );
  for (let round = 0; round < 5; round++) {
    expect((await createEndpoint(other.admin, node)).status).toBe(201);
    await newCommand(other.operator, {}, node);
  }
  await lock`rollback`;
  const lockedMs = performance.now() - lockedAt;
  const statuses = (await waiting).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  // On a slow machine all of them may have waited too long.
  if (lockedMs < REFUSED_AFTER_MS) expect(statuses).toContain(201);
  expect((await untilServed(() => createEndpoint(busy.admin, node))).status).toBe(201);
  await Promise.all([administrator.close(), locking.close()]);
});

test('the operator disables a tenant at once, however many changes of the tenant wait', async () => {
  const busy = await createTenant();
  const { tenant_id } = busy.operator;
  const { databaseUrl, nodes, admin } = platform();
  const node = nodes[0] as string;
  const lock = openPool(databaseUrl as string, { max: 1 }).sql;
  const administrator = openPool(databaseUrl as string, { max: 1 });
  const [holder] = await lock<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await lock`begin`;
  // Each change of this credential waits for the lock, behind the others of its tenant.
  await lock.unsafe(
    `set local role top_app; select set_config('app.tenant_id', '${tenant_id}', true);
     select from credentials where tenant_id = '${tenant_id}' and client_id = '${busy.operator.client_id}' for no key update`,
  );
  const rename = () =>
    signedRequest(busy.admin, 'PUT', `/api/v1/platform/tenants/${tenant_id}/credentials/${busy.operator.client_id}`, {
      node,
      nonce: randomUUID(),
      body: { name: randomUUID() },
    });
  const flood = Array.from({ length: 60 }, rename);
  await vi.waitFor(async () => expect(await blockedBy(holder, administrator)).not.toEqual([]), { timeout: 60_000 });
  const disabled = await signedRequest(admin, 'PUT', `/api/v1/platform/tenants/${tenant_id}`, {
    node,
    body: { status: 'DISABLED' },
  });
  expect([disabled.status, disabled.body.status]).toEqual([200, 'DISABLED']);
  await lock`rollback`;
  await Promise.all(flood);
});
