import { batched } from '../../platform/database/batch.js';
import type { Database } from '../../platform/database/database.js';
import { asIngest } from '../../platform/database/roles.js';

/** A checked command with everything that is written for it. */
export type NewCommand = {
  tenant_id: string;
  command_id: string;
  idempotency_key: string;
  vendor: string;
  device_id: string;
  command_type: string;
  /** Of the payload schema that it was checked against. */
  revision: number;
  payload: Record<string, unknown>;
  payload_sha256: string;
  timeout_seconds: number;
  accepted_at: string;
  created_by_client_id: string;
  request_id: string;
  /** The id of its command.accepted event. */
  event_id: string;
};

/** ACCEPTED: stored. KEY_USED: the tenant has a command of this key. CATALOG_CHANGED: check it again. */
export type Acceptance = 'ACCEPTED' | 'KEY_USED' | 'CATALOG_CHANGED';

type Row = { is_current: boolean; is_inserted: boolean };

/**
 * Stores a command, its command.accepted event and what goes to the bus for both, in one statement over all commands
 * that wait at the same time. Of several with the same key one is stored; the others learn it from KEY_USED and read
 * the winner in a second statement, whose snapshot sees it.
 */
export const commandAccepter = (database: Database) =>
  batched<NewCommand, Acceptance>(
    ({ tenant_id, idempotency_key }) => `${tenant_id} ${idempotency_key}`,
    async (commands) => {
      const rows = await asIngest<Row>(database, (sql) => {
        const given = commands.map((command, position) => ({ position, ...command }));
        return sql<Row[]>`
          with given as (
            select * from json_to_recordset(${JSON.stringify(given)}::text::json) as given (
              position int, tenant_id text, command_id uuid, idempotency_key text, vendor text, device_id text,
              command_type text, revision int, payload json, payload_sha256 text, timeout_seconds int,
              accepted_at timestamptz, created_by_client_id text, request_id text,
              event_id uuid
            )
          ), current as (
            select given.* from given
            join vendors on vendors.vendor = given.vendor and vendors.enabled
            join command_types on command_types.vendor = given.vendor
              and command_types.command_type = given.command_type
              and command_types.enabled and command_types.revision = given.revision
          ), inserted as (
            insert into commands (
              tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload, payload_sha256,
              timeout_seconds, status, adapter_status, device_execution_status, accepted_at, deadline_at, updated_at,
              created_by_client_id, request_id
            )
            select tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
              decode(payload_sha256, 'hex'), timeout_seconds, 'ACCEPTED', 'PENDING', 'NOT_STARTED', accepted_at,
              accepted_at + make_interval(secs => timeout_seconds), accepted_at, created_by_client_id, request_id
            from current
            order by tenant_id, idempotency_key, position
            on conflict (tenant_id, idempotency_key) do nothing
            returning tenant_id, command_id
          ), logged as (
            insert into events (tenant_id, command_id, event_type, event_id, occurred_at)
            select tenant_id, command_id, 'command.accepted', event_id, accepted_at
            from inserted join given using (tenant_id, command_id)
          ), queued as (
            insert into outbox (tenant_id, fact_id, kind)
            select tenant_id, command_id, 'COMMAND_ACCEPTED' from inserted
          )
          select current.position is not null as is_current, inserted.command_id is not null as is_inserted
          from given
          left join current on current.position = given.position
          left join inserted on inserted.tenant_id = given.tenant_id and inserted.command_id = given.command_id
          order by given.position`;
      });
      return rows.map(({ is_current, is_inserted }) =>
        is_inserted ? 'ACCEPTED' : is_current ? 'KEY_USED' : 'CATALOG_CHANGED',
      );
    },
  );

export type AcceptCommand = ReturnType<typeof commandAccepter>;
