import type { Transaction } from '../../platform/database/database.js';
import type { Call } from '../../platform/operation/call.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow } from '../../platform/operation/rows.js';
import { topics } from '../../platform/signals/signals.js';
import type { WaitFor } from '../../platform/signals/wait-for.js';
import { commands } from './commands.table.js';
import { presentCommand } from './present-command.js';
import { isTerminal } from './transitions.js';

export const getCommand =
  (waitFor: WaitFor): Handler<'commands.get'> =>
  async ({ params: { command_id: commandId }, query }, call) => {
    const { tenantId } = call;
    const seen = query.seen_updated_at === undefined ? null : Date.parse(query.seen_updated_at);
    const command = await waitFor({
      call,
      topic: topics.command(tenantId, commandId),
      waitSeconds: query.wait_seconds,
      look: () => call.asTenant((tx) => readCommand(tx, call, commandId)),
      isEnough: (found) =>
        found === null || isTerminal(found) || (seen !== null && Date.parse(found.updated_at) !== seen),
    });
    if (!command) throw call.refuse('NOT_FOUND');
    return { status: 200, body: command };
  };

/** The record of a command; null if the tenant has no command with this id. */
export async function readCommand(tx: Transaction, call: Pick<Call, 'tenantId' | 'requestId'>, commandId: string) {
  const [row] = await tx
    .select()
    .from(commands)
    .where(ownRow(commands, call, { command_id: commandId }));
  return row ? presentCommand(row, call) : null;
}
