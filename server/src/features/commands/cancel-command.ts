import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { notFound } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { commands } from './commands.table.js';
import { readCommand } from './get-command.js';
import { moveCommands } from './move-commands.js';
import { cancel } from './transitions.js';

export const cancelCommand =
  (database: Database, signals: Signals): Handler<typeof contract.commands.cancel> =>
  async ({ params: { command_id: commandId } }, call) => {
    const { tenantId, requestId, caller } = call;
    const canceled = await asTenant(database, tenantId, async (tx) => {
      const [row] = await tx
        .select()
        .from(commands)
        .where(and(eq(commands.tenantId, tenantId), eq(commands.commandId, commandId)))
        .for('no key update');
      if (!row) throw notFound();
      const after = cancel(row);
      if (!after && row.status !== 'CANCELED') {
        throw call.refuse('COMMAND_NOT_CANCELABLE', { metadata: { status: row.status } });
      }
      if (after) {
        const reason = { code: 'CANCELED', message: `Canceled by ${caller.clientId} before it was dispatched.` };
        await moveCommands(tx, [{ tenantId, commandId, before: row, after, source: 'PLATFORM', reason }]);
      }
      return readCommand(tx, tenantId, commandId, requestId);
    });
    if (!canceled) throw notFound();
    signals.send([topics.eventLog, topics.command(tenantId, commandId), topics.events(tenantId)]);
    return { status: 200, body: canceled };
  };
