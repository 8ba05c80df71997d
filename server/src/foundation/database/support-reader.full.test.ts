import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test, vi } from 'vitest';
import { openSession } from '../../../test/support/open-pool.js';
import { migrate } from './migrate.js';

/*
 * Migration 0018 on the database of the version before it. The login owns the tables and is no superuser: row-level
 * security applies to it.
 */

const drizzle = fileURLToPath(new URL('../../../drizzle', import.meta.url));
const server = await ownPostgres();
const before = join(temporaryFolder(), 'drizzle');
cpSync(drizzle, before, { recursive: true });
const journalFile = join(before, 'meta/_journal.json');
const journal = JSON.parse(readFileSync(journalFile, 'utf8'));
writeFileSync(journalFile, JSON.stringify({ ...journal, entries: journal.entries.slice(0, 18) }));

async function migrateWith(folder: string): Promise<void> {
  const sql = openSession(server.url, { fetch_types: false });
  await migrate(sql, folder);
  await sql.end();
}

await migrateWith(before);

const sql = openSession(server.superuserUrl);

async function tenantWith(tenantId: string, roles: Record<string, string[]>, bindings: [string, string][]) {
  await sql`insert into tenants (tenant_id, name) values (${tenantId}, 'Tenant')`;
  for (const [role, scopes] of Object.entries(roles)) {
    await sql`insert into roles (tenant_id, role, created_at) values (${tenantId}, ${role}, '2026-01-31T09:30:00Z')`;
    for (const action of scopes) {
      await sql`
        insert into policies (tenant_id, policy_id, role, object, action)
        values (${tenantId}, gen_random_uuid(), ${role}, 'open:command', ${action})`;
    }
  }
  for (const [clientId, role] of bindings) {
    await sql`
      insert into credentials (
        tenant_id, client_id, name, status, allowed_clock_skew_seconds, replay_window_seconds, secret_version,
        secret_sealed
      ) values (${tenantId}, ${clientId}, 'Credential', 'ACTIVE', 300, 600, 1, '') on conflict do nothing`;
    await sql`insert into role_bindings (tenant_id, client_id, role) values (${tenantId}, ${clientId}, ${role})`;
  }
}

const held = (tenantId: string) => sql`
  select client_id, role, array(
    select action from policies
    where policies.tenant_id = role_bindings.tenant_id and policies.role = role_bindings.role order by action
  ) as actions
  from role_bindings where tenant_id = ${tenantId} order by client_id, role`;

const rolesOf = async (tenantId: string) =>
  (await sql`select role from roles where tenant_id = ${tenantId} order by role`).map(({ role }) => role);

await tenantWith('acme', { support_reader: ['create', 'read'], other: ['read'] }, [
  ['acme-1', 'support_reader'],
  ['acme-2', 'support_reader'],
  ['acme-2', 'other'],
]);
await tenantWith('globex', { support_reader: [], support_reader_custom: ['read'], support_reader_custom_2: [] }, [
  ['globex-1', 'support_reader'],
  ['globex-1', 'support_reader_custom'],
]);
await tenantWith('initech', { reader: ['read'] }, [['initech-1', 'reader']]);

/** A node of the version before binds the role while the migration begins. */
const binding = openSession(server.superuserUrl);
await tenantWith('umbrella', { support_reader: ['read'] }, [['umbrella-1', 'other']]);
await binding`begin`;
await binding`select from roles where tenant_id = 'umbrella' and role = 'support_reader' for share`;
await binding`insert into role_bindings (tenant_id, client_id, role) values ('umbrella', 'umbrella-1', 'support_reader')`;
const migrating = migrateWith(drizzle);
const isWaiting = async () => (await sql`select from pg_locks where not granted`).length > 0;
await vi.waitUntil(isWaiting, { timeout: 20_000, interval: 10 });
await binding`commit`;
await migrating;

test("a tenant's own role support_reader keeps its scopes and its credentials under another name", async () => {
  expect(await held('acme')).toEqual([
    { client_id: 'acme-1', role: 'support_reader_custom', actions: ['create', 'read'] },
    { client_id: 'acme-2', role: 'other', actions: ['read'] },
    { client_id: 'acme-2', role: 'support_reader_custom', actions: ['create', 'read'] },
  ]);
  expect(await rolesOf('acme')).toEqual(['other', 'support_reader_custom']);
  const [role] = await sql`select created_at from roles where tenant_id = 'acme' and role = 'support_reader_custom'`;
  expect(role?.created_at).toEqual(new Date('2026-01-31T09:30:00Z'));
  expect(await held('initech')).toEqual([{ client_id: 'initech-1', role: 'reader', actions: ['read'] }]);
});

test('the other name is one that the tenant does not have', async () => {
  expect(await held('globex')).toEqual([
    { client_id: 'globex-1', role: 'support_reader_custom', actions: ['read'] },
    { client_id: 'globex-1', role: 'support_reader_custom_3', actions: [] },
  ]);
});

test('a binding that an older node commits meanwhile gets the other name, too', async () => {
  expect(await held('umbrella')).toEqual([
    { client_id: 'umbrella-1', role: 'other', actions: [] },
    { client_id: 'umbrella-1', role: 'support_reader_custom', actions: ['read'] },
  ]);
});

test('an older node cannot create the name again', async () => {
  const put = sql`insert into roles (tenant_id, role) values ('initech', 'support_reader')`;
  await expect(put).rejects.toThrow('roles_support_reader');
});

test('the audit log of the tenant tells it, as changes that the platform itself made', async () => {
  const events = await sql`
    select operation, target, before, after, client_id, source_address from audit_events
    where tenant_id = 'acme' order by audit_event_id`;
  const scopes = ['open:command:create', 'open:command:read'];
  const [custom, old] = ['support_reader_custom', 'support_reader'].map((role) => ({ role, scopes }));
  const below = (path: string) => `platform/tenants/acme/${path}`;
  expect(events.map(({ operation, target }) => [operation, target])).toEqual([
    ['roles.put', below('roles/support_reader_custom')],
    ['roleBindings.create', expect.stringMatching(/role-bindings\/acme-\d\/support_reader_custom$/)],
    ['roleBindings.create', expect.stringMatching(/role-bindings\/acme-\d\/support_reader_custom$/)],
    ['roleBindings.delete', expect.stringMatching(/role-bindings\/acme-\d\/support_reader$/)],
    ['roleBindings.delete', expect.stringMatching(/role-bindings\/acme-\d\/support_reader$/)],
    ['roles.delete', below('roles/support_reader')],
  ]);
  const facts = new Map(events.map(({ target, before, after }) => [target, { before, after }]));
  expect(facts.get(below('roles/support_reader_custom'))).toEqual({ before: null, after: custom });
  expect(facts.get(below('roles/support_reader'))).toEqual({ before: old, after: null });
  const client = { client_id: 'acme-1' };
  expect(facts.get(below('role-bindings/acme-1/support_reader_custom'))).toEqual({
    before: null,
    after: { ...client, ...custom },
  });
  expect(facts.get(below('role-bindings/acme-1/support_reader'))).toEqual({
    before: { ...client, ...old },
    after: null,
  });
  for (const event of events) expect(event).toMatchObject({ client_id: 'platform', source_address: null });
  expect(await sql`select from audit_events where tenant_id = 'initech'`).toHaveLength(0);
});
