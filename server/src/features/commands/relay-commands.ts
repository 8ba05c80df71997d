import { type CommandMessage, subjects } from '@tenant-open-platform/contract/bus';
import { sql } from 'drizzle-orm';
import type { Message } from '../../platform/bus/bus.js';
import type { Database } from '../../platform/database/database.js';
import { inSystem } from '../../platform/database/roles.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { nextInstant } from './move-commands.js';
import { dispatch, INITIAL } from './transitions.js';

type Accepted = { tenant_id: string; fact_id: string };

/**
 * Hands accepted commands to their adapters. They become DISPATCHED before anything is published, so that EXPIRED and
 * CANCELED mean never published. What is on its way already was left over by a relay that died, and is sent again
 * under the same id; what has ended or is past its deadline is not.
 */
export async function dispatchCommands(
  database: Database,
  signals: Signals,
  accepted: readonly Accepted[],
): Promise<Map<string, Message>> {
  if (accepted.length === 0) return new Map();
  const asked = JSON.stringify(accepted.map(({ tenant_id, fact_id }) => ({ tenant_id, command_id: fact_id })));
  const after = dispatch(INITIAL);
  if (!after) throw new Error('A new command cannot be dispatched.');
  const { status, adapterStatus } = after;
  const rows = await inSystem(database, async (tx) => {
    await tx.execute(sql`
      with due as (
        select commands.tenant_id, commands.command_id from commands
        where (tenant_id, command_id) in (
          select tenant_id, command_id from json_to_recordset(${asked}::text::json) as asked (tenant_id text, command_id uuid)
        ) and status = ${INITIAL.status} and deadline_at > now()
        order by tenant_id, command_id
        for no key update
      )
      update commands set
        status = ${status}, adapter_status = ${adapterStatus}, dispatched_at = ${nextInstant}, updated_at = ${nextInstant}
      from due
      where commands.tenant_id = due.tenant_id and commands.command_id = due.command_id`);
    return (await tx.execute(sql`
      select tenant_id, command_id, vendor, device_id, command_type, payload, accepted_at, deadline_at
      from commands
      where (tenant_id, command_id) in (
        select tenant_id, command_id from json_to_recordset(${asked}::text::json) as asked (tenant_id text, command_id uuid)
      ) and status = ${status} and deadline_at > now()`)) as unknown as Row[];
  });
  signals.send(rows.map(({ tenant_id, command_id }) => topics.command(tenant_id, command_id)));
  return new Map(rows.map((row) => [`${row.tenant_id} ${row.command_id}`, toMessage(row)]));
}

/** The message, but for how Postgres writes its instants. */
type Row = CommandMessage;

function toMessage(row: Row): Message {
  const body: CommandMessage = {
    ...row,
    accepted_at: new Date(row.accepted_at).toISOString(),
    deadline_at: new Date(row.deadline_at).toISOString(),
  };
  return {
    subject: subjects.command(row.tenant_id, row.vendor),
    id: `command:${row.command_id}`,
    body: Buffer.from(JSON.stringify(body)),
  };
}
