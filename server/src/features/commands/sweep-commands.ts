import { sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { inSystem } from '../../platform/database/roles.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { type Move, moveCommands } from './move-commands.js';
import { expire, type State } from './transitions.js';

const BATCH = 500;

const reasons = {
  EXPIRED: { code: 'EXPIRED', message: 'The deadline passed before the command was handed to an adapter.' },
  TIMED_OUT: { code: 'TIMED_OUT', message: 'The command was handed over and no result came before the deadline.' },
};

type Row = {
  tenant_id: string;
  command_id: string;
  status: 'ACCEPTED' | 'DISPATCHED';
  adapter_status: State['adapterStatus'];
  device_execution_status: State['deviceExecutionStatus'];
};

/** RECENT ones alone, so that a sweep need not pass over all that have ended since the last vacuum. */
export type Overdue = 'RECENT' | 'ALL';

/**
 * Ends commands whose deadline has passed, and answers how many. Any number of nodes may sweep: each passes over what
 * another has locked, and a result that comes at the same time waits for the lock, or is waited for.
 */
export async function sweepCommands(database: Database, signals: Signals, overdue: Overdue = 'ALL'): Promise<number> {
  const since = overdue === 'RECENT' ? sql`now() - interval '15 minutes'` : sql`'-infinity'`;
  const moves = await inSystem(database, async (tx) => {
    const rows = (await tx.execute(sql`
      select tenant_id, command_id, status, adapter_status, device_execution_status
      from commands
      where status in ('ACCEPTED', 'DISPATCHED') and deadline_at <= now() and deadline_at >= ${since}
      order by deadline_at
      limit ${BATCH}
      for no key update skip locked`)) as unknown as Row[];
    const moves = rows.flatMap(toMove);
    await moveCommands(tx, moves);
    return moves;
  });
  signals.send([
    ...(moves.length > 0 ? [topics.outbox] : []),
    ...moves.flatMap(({ tenantId, commandId }) => [topics.command(tenantId, commandId), topics.events(tenantId)]),
  ]);
  return moves.length;
}

function toMove(row: Row): Move[] {
  const before: State = {
    status: row.status,
    adapterStatus: row.adapter_status,
    deviceExecutionStatus: row.device_execution_status,
  };
  const after = expire(before);
  if (!after) return [];
  const reason = row.status === 'ACCEPTED' ? reasons.EXPIRED : reasons.TIMED_OUT;
  return [{ tenantId: row.tenant_id, commandId: row.command_id, before, after, source: 'PLATFORM', reason }];
}
