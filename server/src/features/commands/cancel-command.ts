import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import { commands } from './commands.table.js';
import { readCommand } from './get-command.js';
import { countCompleted, type Move, moveCommands } from './move-commands.js';
import { cancel } from './transitions.js';

export const cancelCommand =
  (database: Database, signals: Signals, metrics: Metrics): Handler<typeof contract.commands.cancel> =>
  async ({ params: { command_id: commandId } }, call) => {
    const { tenantId, requestId, caller } = call;
    const moves: Move[] = [];
    const canceled = await asTenant(database, tenantId, async (tx) => {
      const [row] = await tx
        .select()
        .from(commands)
        .where(and(eq(commands.tenantId, tenantId), eq(commands.commandId, commandId)))
        .for('no key update');
      if (!row) throw call.refuse('NOT_FOUND');
      const after = cancel(row);
      if (!after && row.status !== 'CANCELED') {
        throw call.refuse('COMMAND_NOT_CANCELABLE', { metadata: { status: row.status } });
      }
      if (after) {
        const reason = { code: 'CANCELED', message: `Canceled by ${caller.clientId} before it was dispatched.` };
        moves.push({ tenantId, commandId, vendor: row.vendor, before: row, after, source: 'PLATFORM', reason });
        await moveCommands(tx, moves);
      }
      return readCommand(tx, tenantId, commandId, requestId);
    });
    if (!canceled) throw call.refuse('NOT_FOUND');
    countCompleted(metrics, moves);
    signals.send([topics.eventLog, topics.command(tenantId, commandId), topics.events(tenantId)]);
    return { status: 200, body: canceled };
  };
