import { createTenant } from '@tenant-open-platform/testing';
import type postgres from 'postgres';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { openSession } from '../../../test/support/open-pool.js';

/** Connects as the owner of the tables. The tests set roles of the platform and roll back. */
const owner = openSession();
const tenantId = (await createTenant()).tenant_id;

const rolledBack = new Error('rolled back');

async function asRole(role: string, work: (tx: postgres.TransactionSql) => Promise<void>): Promise<void> {
  const transaction = owner.begin(async (tx) => {
    await tx`select set_config('role', ${role}, true), set_config('app.tenant_id', ${tenantId}, true)`;
    await work(tx);
    throw rolledBack;
  });
  await transaction.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
}

/** The error code of the refusal by Postgres, or null. */
async function refusalOf(tx: postgres.TransactionSql, statement: string): Promise<string | null> {
  try {
    await tx.savepoint((save) => save.unsafe(statement));
    return null;
  } catch (error) {
    return (error as postgres.PostgresError).code;
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';

test("the application's role may append to the audit log and read it", async () => {
  await asRole('top_app', async (tx) => {
    const [before] = await tx`select count(*)::int as entries from audit_events`;
    expect(before?.entries).toBeGreaterThan(0);
    await tx`
      insert into audit_events (tenant_id, audit_event_id, client_id, operation, target, changes, outcome, request_id)
      values (${tenantId}, ${uuid()}, 'c-1', 'tenants.update', 'platform/tenants', '{}', 'DONE', 'r-1')`;
    const [after] = await tx`select count(*)::int as entries from audit_events`;
    expect(after?.entries).toBe(before?.entries + 1);
  });
});

test.each(['top_app', 'top_system', 'top_ingest'])(
  '%s cannot update, delete or truncate audit entries',
  async (role) => {
    await asRole(role, async (tx) => {
      for (const statement of [
        "update audit_events set outcome = 'DONE'",
        'update audit_events set occurred_at = now() where false',
        ...(role === 'top_system' ? [] : ['delete from audit_events']),
        'truncate audit_events',
        'insert into audit_events select * from audit_events on conflict (tenant_id, audit_event_id) do update set target = audit_events.target',
        'alter table audit_events disable row level security',
        'create or replace rule forget as on insert to audit_events do instead nothing',
        'drop table audit_events',
      ]) {
        expect([statement, await refusalOf(tx, statement)]).toEqual([statement, INSUFFICIENT_PRIVILEGE]);
      }
    });
  },
);

test('background work may delete entries older than 90 days, and no others', async () => {
  await asRole('top_app', async (tx) => {
    await tx`
      insert into audit_events (
        tenant_id, audit_event_id, occurred_at, client_id, operation, target, changes, outcome, request_id
      )
      select ${tenantId}, gen_random_uuid(), now() - make_interval(days => days), 'c-1', 'tenants.update', 'old', '{}',
        'DONE', 'r-1'
      from unnest(array[89, 91]) as days`;
    await tx`set local role top_system`;
    await tx`delete from audit_events where tenant_id = ${tenantId}`;
    await tx`set local role top_app`;
    const left = await tx`
      select now() - occurred_at < interval '90 days' as is_young, target from audit_events order by occurred_at`;
    expect(left[0]).toMatchObject({ is_young: true, target: 'old' });
    expect(left.length).toBeGreaterThan(1);
  });
});

test('no role of the platform has any other right on the audit log, on the table or on a column', async () => {
  const granted = await owner<{ granted: string }[]>`
    select role || ' ' || privilege as granted
    from unnest(array['top_app', 'top_system', 'top_ingest']) as role,
      unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as privilege
    where has_table_privilege(role, 'audit_events', privilege)
      or (privilege in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') and has_any_column_privilege(role, 'audit_events', privilege))
    order by 1`;
  expect(granted.map((row) => row.granted)).toEqual([
    'top_app INSERT',
    'top_app SELECT',
    'top_system DELETE',
    'top_system SELECT',
  ]);
});
