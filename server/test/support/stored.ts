import postgres from 'postgres';

/** A URL of Postgres, or the socket of an embedded database. */
export type DatabaseAddress = string | { path: string; user: string };

/** The rows of all tenants that the platform's background work may see. */
async function asSystem<Rows>(
  database: DatabaseAddress,
  read: (tx: postgres.TransactionSql) => Promise<Rows>,
): Promise<Rows> {
  const options = { max: 1, onnotice: () => {} };
  const sql = typeof database === 'string' ? postgres(database, options) : postgres({ ...database, ...options });
  try {
    const [rows] = await sql.begin(async (tx) => {
      await tx`set local role top_system`;
      return [await read(tx)];
    });
    return rows as Rows;
  } finally {
    await sql.end();
  }
}

export type StoredCommand = {
  idempotency_key: string;
  command_id: string;
  timeout_seconds: number;
  status: string;
  device_execution_status: string;
  /** The code of its status_reason. */
  reason: string | null;
  completed_at: Date | null;
  accepted_events: number;
  completed_events: number;
  /** The outbox rows of a command: deleted once the bus has the command or the command has ended. */
  outbox_rows: number;
};

/** The commands of a tenant, each with its number of events and of outbox rows. */
export const storedCommands = (database: DatabaseAddress, tenantId: string): Promise<StoredCommand[]> =>
  asSystem(
    database,
    (tx) => tx<StoredCommand[]>`
      select idempotency_key, command_id, timeout_seconds, status, device_execution_status, completed_at,
        status_reason ->> 'code' as reason,
        (select count(*)::int from events
          where events.tenant_id = commands.tenant_id and events.command_id = commands.command_id
            and events.event_type = 'command.accepted') as accepted_events,
        (select count(*)::int from events
          where events.tenant_id = commands.tenant_id and events.command_id = commands.command_id
            and events.event_type = 'command.completed') as completed_events,
        (select count(*)::int from outbox
          where outbox.tenant_id = commands.tenant_id and outbox.fact_id = commands.command_id
            and outbox.kind = 'COMMAND_ACCEPTED') as outbox_rows
      from commands where tenant_id = ${tenantId}`,
  );

/** The outbox row of a stored command until the relay took it, and its event once it is logged. */
export const announcement = ({ accepted_events, outbox_rows }: StoredCommand) => ({
  isAnnounced: accepted_events + outbox_rows > 0,
  isAnnouncedTwice: accepted_events > 1 || outbox_rows > 1,
});
export const once = { isAnnounced: true, isAnnouncedTwice: false };

export type StoredEvent = { tenant_id: string; event_id: string; event_type: string; command_id: string };

/** The event log of all tenants, in order. */
export const storedEvents = (database: DatabaseAddress): Promise<StoredEvent[]> =>
  asSystem(
    database,
    (tx) => tx<StoredEvent[]>`select tenant_id, event_id, event_type, command_id from events order by seq`,
  );

/** The causes of the generations. */
export const storedGenerations = async (database: DatabaseAddress): Promise<string[]> =>
  (await asSystem(database, (tx) => tx<{ cause: string }[]>`select cause from database_generations`)).map(
    ({ cause }) => cause,
  );

/** How many commands are open, and how many messages wait for the bus. */
export async function storedWork(
  database: DatabaseAddress,
): Promise<{ commands: number; outbox: number; unpublished_events: number }> {
  const [work] = await asSystem(
    database,
    (tx) => tx<{ commands: number; outbox: number; unpublished_events: number }[]>`
      select (select count(*)::int from commands where status in ('ACCEPTED', 'DISPATCHED')) as commands,
        (select count(*)::int from outbox) as outbox,
        (
          select count(*)::int from events
          where seq > (select published_seq from slots where slot = tenant_slot_v1(tenant_id))
        ) as unpublished_events`,
  );
  return work as { commands: number; outbox: number; unpublished_events: number };
}
