import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { topics } from '../../platform/signals/signals.js';
import type { WaitFor } from '../../platform/signals/wait-for.js';
import { commands } from './commands.table.js';
import { presentCommand } from './present-command.js';
import { isTerminal } from './transitions.js';

export const getCommand =
  (database: Database, waitFor: WaitFor): Handler<typeof contract.commands.get> =>
  async ({ params: { command_id: commandId }, query }, call) => {
    const { tenantId, requestId } = call;
    const seen = query.seen_updated_at === undefined ? null : Date.parse(query.seen_updated_at);
    const command = await waitFor({
      call,
      topic: topics.command(tenantId, commandId),
      waitSeconds: query.wait_seconds,
      look: () => asTenant(database, tenantId, (tx) => readCommand(tx, tenantId, commandId, requestId)),
      isEnough: (found) =>
        found === null || isTerminal(found) || (seen !== null && Date.parse(found.updated_at) !== seen),
    });
    if (!command) throw call.refuse('NOT_FOUND');
    return { status: 200, body: command };
  };

/** The record of a command; null if the tenant has no command with this id. */
export async function readCommand(tx: Transaction, tenantId: string, commandId: string, requestId: string) {
  const [row] = await tx
    .select()
    .from(commands)
    .where(and(eq(commands.tenantId, tenantId), eq(commands.commandId, commandId)));
  return row ? presentCommand(row, requestId) : null;
}
