import { sql } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { isTerminal, type State } from './transitions.js';

/** `told`: the states that the history of one that has ended tells of. */
export type Locked = { vendor: string; state: State; hasLateResult: boolean; told: Set<string> };

type Key = { tenant_id: string; command_id: string };

export const keyOf = ({ tenant_id, command_id }: Key) => `${tenant_id} ${command_id}`;

type Entry = Key & {
  status: State['status'];
  adapter_status: State['adapterStatus'];
  device_execution_status: State['deviceExecutionStatus'];
};

type Row = Entry & { vendor: string; has_late_result: boolean };

/** The commands of these keys that there are, each locked until the transaction ends. */
export async function lockCommands(tx: Transaction, keys: readonly Key[]): Promise<Map<string, Locked>> {
  const rows = (await tx.execute(sql`
    select tenant_id, command_id, vendor, status, adapter_status, device_execution_status,
      late_result is not null as has_late_result
    from commands
    where (tenant_id, command_id) in (
      select tenant_id, command_id from json_to_recordset(${JSON.stringify(keys)}::text::json)
        as asked (tenant_id text, command_id uuid)
    )
    order by tenant_id, command_id
    for no key update`)) as unknown as Row[];
  const locked = new Map(
    rows.map((row) => [
      keyOf(row),
      { vendor: row.vendor, state: stateOf(row), hasLateResult: row.has_late_result, told: new Set<string>() },
    ]),
  );
  await readHistories(tx, rows.filter(isTerminal), locked);
  return locked;
}

/** Once they are locked: what another has told since is seen. */
async function readHistories(tx: Transaction, rows: readonly Row[], locked: Map<string, Locked>): Promise<void> {
  if (rows.length === 0) return;
  const entries = (await tx.execute(sql`
    select tenant_id, command_id, status, adapter_status, device_execution_status from command_history
    where (tenant_id, command_id) in (
      select tenant_id, command_id from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as ended (tenant_id text, command_id uuid)
    )`)) as unknown as Entry[];
  for (const entry of entries) locked.get(keyOf(entry))?.told.add(inWords(stateOf(entry)));
}

const stateOf = (row: Entry): State => ({
  status: row.status,
  adapterStatus: row.adapter_status,
  deviceExecutionStatus: row.device_execution_status,
});

export const inWords = ({ status, adapterStatus, deviceExecutionStatus }: State) =>
  `${status} ${adapterStatus} ${deviceExecutionStatus}`;
