import { sql } from 'drizzle-orm';
import { type State, type StateColumns, stateOf } from '../transitions.js';

/** `seenStates`: the states in the history of an ended command, used to detect repeated reports. */
export type Locked = { vendor: string; state: State; hasLateResult: boolean; seenStates: Set<string> };

type Key = { tenant_id: string; command_id: string };

export const keyOf = ({ tenant_id, command_id }: Key) => `${tenant_id} ${command_id}`;

type Row = Key & StateColumns & { vendor: string; has_late_result: boolean; history: StateColumns[] | null };

/** Locks the commands with these keys until the transaction ends. */
export const lockCommands = (keys: readonly Key[]) => sql`
    select tenant_id, command_id, vendor, status, adapter_status, device_execution_status,
      late_result is not null as has_late_result, case when completed_at is not null then history end as history
    from commands
    where (tenant_id, command_id) in (
      select tenant_id, command_id from json_to_recordset(${JSON.stringify(keys)}::text::json)
        as asked (tenant_id text, command_id uuid)
    )
    order by tenant_id, command_id
    for no key update`;

/** The commands that exist, from the rows of `lockCommands`. */
export const lockedCommands = (rows: readonly object[]) =>
  new Map(
    (rows as Row[]).map((row): [string, Locked] => [
      keyOf(row),
      {
        vendor: row.vendor,
        state: stateOf(row),
        hasLateResult: row.has_late_result,
        seenStates: new Set((row.history ?? []).map((entry) => stateKey(stateOf(entry)))),
      },
    ]),
  );

export const stateKey = ({ status, adapterStatus, deviceExecutionStatus }: State) =>
  `${status} ${adapterStatus} ${deviceExecutionStatus}`;
