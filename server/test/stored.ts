import postgres from 'postgres';

export type StoredCommand = {
  idempotency_key: string;
  command_id: string;
  accepted_events: number;
  outbox_rows: number;
};

/**
 * The commands of a tenant with how many command.accepted events and outbox rows each has. No role of the platform may
 * read the outbox yet, so its owner lends top_system the right for one transaction that is rolled back.
 */
export async function storedCommands(databaseUrl: string, tenantId: string): Promise<StoredCommand[]> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  let stored: StoredCommand[] = [];
  const rolledBack = new Error('rolled back');
  try {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(1)`;
      await tx`grant select on commands, events, outbox to top_system`;
      await tx`set local role top_system`;
      stored = await tx<StoredCommand[]>`
        select idempotency_key, command_id,
          (select count(*)::int from events
            where events.tenant_id = commands.tenant_id and events.command_id = commands.command_id
              and events.event_type = 'command.accepted') as accepted_events,
          (select count(*)::int from outbox
            where outbox.tenant_id = commands.tenant_id and outbox.fact_id = commands.command_id
              and outbox.kind = 'COMMAND_ACCEPTED') as outbox_rows
        from commands where tenant_id = ${tenantId}`;
      throw rolledBack;
    });
  } catch (error) {
    if (error !== rolledBack) throw error;
  } finally {
    await sql.end();
  }
  return stored;
}
