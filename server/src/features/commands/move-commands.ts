import { sql } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { newId } from '../../platform/new-id.js';
import type { LateResult } from './commands.table.js';
import { isTerminal, type State } from './transitions.js';

/** A change of a command whose row the transaction has locked. */
export type Move = {
  tenantId: string;
  commandId: string;
  before: State;
  after: State;
  source: 'PLATFORM' | 'ADAPTER' | 'DEVICE';
  reason?: { code: string; message: string } | undefined;
  result?: Record<string, unknown> | undefined;
};

/** What came after the status was final: it is kept, and changes nothing. */
export type LateReport = Omit<Move, 'before' | 'after'> & {
  final: State;
  said: Partial<State>;
  lateResult: Omit<LateResult, 'received_at'> | null;
};

/**
 * Every change of a command has an instant of its own, after that of the change before, though two come within a
 * millisecond: whoever has seen one misses no other, and the history is in their order. The statement's clock, for the
 * transaction may have begun before the change whose lock it waited for.
 */
export const nextInstant = sql`greatest(statement_timestamp(), commands.updated_at + interval '1 millisecond')::timestamptz(3)`;

/**
 * Writes changes, one a command, with their entries in the history; where a status becomes final its one
 * command.completed event and what goes to the bus for it too.
 */
export async function moveCommands(tx: Transaction, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  const rows = moves.map(({ before, after, ...move }) => ({
    ...entryOf(move, after),
    result: move.result ?? null,
    completes: !isTerminal(before) && isTerminal(after),
    event_id: newId(),
  }));
  await tx.execute(sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
        tenant_id text, command_id uuid, entry_id uuid, source text, status text, adapter_status text,
        device_execution_status text, reason json, result json, completes boolean, event_id uuid
      )
    ), moved as (
      update commands set
        status = given.status, adapter_status = given.adapter_status,
        device_execution_status = given.device_execution_status,
        status_reason = case when completes then given.reason end,
        result = coalesce(given.result, commands.result),
        completed_at = case when completes then ${nextInstant} end,
        updated_at = ${nextInstant}
      from given
      where commands.tenant_id = given.tenant_id and commands.command_id = given.command_id
      returning commands.tenant_id, commands.command_id, commands.updated_at as at
    ), noted as (
      insert into command_history (
        tenant_id, command_id, entry_id, at, source, status, adapter_status, device_execution_status, reason
      )
      select tenant_id, command_id, entry_id, at, source, status, adapter_status, device_execution_status, reason
      from given join moved using (tenant_id, command_id)
    ), logged as (
      insert into events (tenant_id, command_id, event_type, event_id, occurred_at)
      select tenant_id, command_id, 'command.completed', event_id, at
      from given join moved using (tenant_id, command_id)
      where completes
    )
    insert into outbox (tenant_id, fact_id, kind)
    select tenant_id, command_id, 'COMMAND_COMPLETED' from given where completes`);
}

/** Writes what came too late: an entry in the history, and late_result where it is the first. */
export async function keepLateReports(tx: Transaction, reports: readonly LateReport[]): Promise<void> {
  if (reports.length === 0) return;
  const rows = reports.map(({ final, said, lateResult, ...report }) => ({
    ...entryOf(report, { ...final, ...said }),
    late_result: lateResult,
  }));
  await tx.execute(sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
        tenant_id text, command_id uuid, entry_id uuid, source text, status text, adapter_status text,
        device_execution_status text, reason json, late_result json
      )
    ), kept as (
      update commands set
        late_result = case
          when given.late_result is null then commands.late_result
          else json_build_object(
            'received_at', to_char(${nextInstant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'adapter_status', given.late_result -> 'adapter_status',
            'device_execution_status', given.late_result -> 'device_execution_status',
            'status_reason', given.late_result -> 'status_reason',
            'result', given.late_result -> 'result'
          )
        end,
        updated_at = ${nextInstant}
      from given
      where commands.tenant_id = given.tenant_id and commands.command_id = given.command_id
      returning commands.tenant_id, commands.command_id, commands.updated_at as at
    )
    insert into command_history (
      tenant_id, command_id, entry_id, at, source, status, adapter_status, device_execution_status, reason
    )
    select tenant_id, command_id, entry_id, at, source, status, adapter_status, device_execution_status, reason
    from given join kept using (tenant_id, command_id)`);
}

const entryOf = ({ tenantId, commandId, source, reason }: Omit<Move, 'before' | 'after'>, state: State) => ({
  tenant_id: tenantId,
  command_id: commandId,
  entry_id: newId(),
  source,
  status: state.status,
  adapter_status: state.adapterStatus,
  device_execution_status: state.deviceExecutionStatus,
  reason: reason ?? null,
});
