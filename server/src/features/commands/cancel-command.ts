import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import type { Signals } from '../../platform/signals/signals.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import { commands } from './commands.table.js';
import { readCommand } from './get-command.js';
import { announce, type Move, moveCommands } from './move-commands.js';
import { cancel } from './transitions.js';

export const cancelCommand =
  (signals: Signals, metrics: Metrics): Handler<'commands.cancel'> =>
  async ({ params: { command_id: commandId } }, call) => {
    const { tenantId, caller } = call;
    const moves: Move[] = [];
    const canceled = await call.asTenant(async (tx) => {
      const own = ownRow(commands, call, { command_id: commandId });
      const row = await readRow(tx, call, commands, own, 'no key update');
      const after = cancel(row);
      if (!after && row.status !== 'CANCELED') {
        throw call.refuse('COMMAND_NOT_CANCELABLE', { metadata: { status: row.status } });
      }
      if (after) {
        const reason = { code: 'CANCELED', message: `Canceled by ${caller.clientId} before it was dispatched.` };
        moves.push({ tenantId, commandId, vendor: row.vendor, before: row, after, source: 'PLATFORM', reason });
        await moveCommands(tx, moves);
      }
      return readCommand(tx, call, commandId);
    });
    if (!canceled) throw call.refuse('NOT_FOUND');
    announce({ signals, metrics }, moves);
    return { status: 200, body: canceled };
  };
