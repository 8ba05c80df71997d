import { objectAndAction, scopes } from '@tenant-open-platform/contract';
import type { Sql } from 'postgres';

/**
 * The number of credentials in the filled database. Each has enough bindings and policies to make up the other rows.
 */
const CREDENTIALS = 100_000;
const BINDINGS_EACH = 5;
const POLICIES_EACH = 5;
const DEVICES = 100_000;
const ROWS_A_STATEMENT = 1_000_000;

/** One command in this many is FAILED, so that a filter has a rare value to find. */
const RARE = 100_000;

/** The id of command number n: a UUID version 7 with the time of acceptance, one command per millisecond. */
const uuid = (kind: number) =>
  `(lpad(to_hex(base.ms + n), 12, '0') || '7${String(kind).padStart(3, '0')}8000' || lpad(to_hex(n), 12, '0'))::uuid`;
const instant = 'to_timestamp((base.ms + n) / 1000.0)';

/**
 * Fills the database of a platform with at least one completed command of tenant `demo`: copies the rows of that
 * command and of the tenant's credential under new keys. A column that is not named keeps its value from the template,
 * so new columns need no change here unless they are unique.
 */
export async function fillDatabase(sql: Sql, commands: number): Promise<void> {
  // Foreign keys hold by construction; checking each would take longer than writing the rows.
  await sql`set session_replication_role = replica`;
  await sql`create temporary table base as select (extract(epoch from now()) * 1000)::bigint - ${commands} - 60000 as ms`;
  await sql`create temporary table template_command as select command_id from commands where status = 'SUCCEEDED' limit 1`;

  const status = (name: string) => `case when n % ${RARE} = 0 then 'FAILED' else ${name} end`;
  const ofTheCommand = 't.command_id in (select command_id from template_command)';
  await copyRows(sql, 'commands', commands, ofTheCommand, {
    command_id: uuid(0),
    idempotency_key: `'filled-' || n`,
    device_id: `'device-' || n % ${DEVICES}`,
    status: status('t.status'),
    accepted_at: instant,
    dispatched_at: instant,
    deadline_at: `${instant} + interval '30 seconds'`,
    completed_at: instant,
    updated_at: instant,
  });
  await copyRows(sql, 'events', commands, ofTheCommand, {
    command_id: uuid(0),
    event_id: `overlay(t.event_id::text placing left(${uuid(0)}::text, 13) from 1)::uuid`,
    logged_at: instant,
    seq: `nextval('events_seq_seq')`,
  });

  const ofTheCredential = `t.tenant_id = 'demo' and t.client_id = 'demo'`;
  await copyRows(sql, 'credentials', CREDENTIALS, ofTheCredential, {
    client_id: `'filled-' || n`,
    number: '1000000 + n',
    created_at: instant,
  });
  for (let number = 1; number <= BINDINGS_EACH; number++) {
    const filled = { client_id: `'filled-' || n`, role: `'filled-role-${number}'`, created_at: instant };
    await copyRows(sql, 'role_bindings', CREDENTIALS, ofTheCredential, filled);
    await sql`insert into roles (tenant_id, role) values ('demo', ${`filled-role-${number}`})`;
  }
  for (const scope of scopes.slice(0, POLICIES_EACH)) {
    const { object, action } = objectAndAction(scope);
    await sql`insert into policies (tenant_id, policy_id, client_id, object, action)
      select 'demo', gen_random_uuid(), 'filled-' || n, ${object}, ${action} from generate_series(1, ${CREDENTIALS}::int) n`;
  }
  await sql`insert into audit_events (tenant_id, audit_event_id, occurred_at, client_id, operation, target, changes, outcome, request_id)
    select 'demo', ${sql.unsafe(uuid(1))}, ${sql.unsafe(instant)}, 'filled-' || n % 1000, 'commands.create', 'x', '{}', 'DONE', 'x'
    from base, generate_series(1, ${commands / 10}::int) n`;
  await sql`insert into device_requests (tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at, expires_at)
    select 'demo', ${sql.unsafe(uuid(2))}, 'vendor_a', 'device-' || n % ${DEVICES}::int, 'firmware_check', '{}', n, 'EXPIRED', ${sql.unsafe(instant)}, ${sql.unsafe(instant)}
    from base, generate_series(1, ${commands / 10}::int) n`;
  await sql`set session_replication_role = default`;
  // The relay need not publish the copied events.
  await sql`update slots set published_seq = (select max(seq) from events)`;
  // Tables that grew to this size by themselves would have been vacuumed and analyzed on the way.
  await sql`vacuum analyze`;
  await sql`checkpoint`;
}

/** Gives a tenant that has no commands this many, with an event each. Needs a completed command of tenant `demo`. */
export async function fillTenant(sql: Sql, tenantId: string, commands: number): Promise<void> {
  await sql`set session_replication_role = replica`;
  await sql`drop table if exists base`;
  await sql`create temporary table base as select (extract(epoch from now()) * 1000)::bigint - ${commands} as ms`;
  const template = `t.command_id = (select command_id from commands where tenant_id = 'demo' and status = 'SUCCEEDED' limit 1)`;
  const columns = { tenant_id: `'${tenantId}'`, command_id: uuid(0) };
  await copyRows(sql, 'commands', commands, template, { ...columns, idempotency_key: `'filled-' || n` });
  await copyRows(sql, 'events', commands, `${template} and t.event_type = 'command.completed'`, {
    ...columns,
    event_id: 'gen_random_uuid()',
    // Below the published numbers, so that the relay does not publish them.
    seq: `-nextval('events_seq_seq')`,
  });
  await sql`set session_replication_role = default`;
  await sql`vacuum analyze commands, events`;
  await sql`checkpoint`;
}

/** Inserts every template row `count` times, with these columns computed from `n` and all other columns unchanged. */
async function copyRows(sql: Sql, table: string, count: number, template: string, computed: Record<string, string>) {
  const columns = await sql`select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`;
  const names = columns.map(({ name }) => name as string);
  if (names.length === 0) throw new Error(`The schema no longer has a table ${table}: change filler.ts.`);
  const values = names.map((name) => computed[name] ?? `t.${name}`);
  // Without their statistics, the planner expects thousands of rows in both and joins in temporary files.
  await sql.unsafe(`create temporary table template as select * from ${table} t where ${template}`);
  await sql`analyze base, template`;
  for (let from = 1; from <= count; from += ROWS_A_STATEMENT) {
    const until = Math.min(count, from + ROWS_A_STATEMENT - 1);
    await sql.unsafe(`insert into ${table} (${names.join(', ')}) overriding system value
      select ${values.join(', ')} from template t, base, generate_series(${from}, ${until}) n`);
  }
  await sql`drop table template`;
}
