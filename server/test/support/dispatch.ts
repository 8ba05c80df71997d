import { commandOutbox } from '../../src/features/commands/background/command-outbox.js';
import type { Message } from '../../src/platform/bus/bus.js';
import type { Database } from '../../src/platform/database/database.js';
import { asAllTenants } from '../../src/platform/database/roles.js';
import { localSignals } from '../../src/platform/signals/signals.js';

/** What the relay commits for an accepted command, and the message that it then publishes; null for none. */
export const dispatch = async (database: Database, tenantId: string, commandId: string): Promise<Message | null> =>
  (await dispatchTogether(database, tenantId, [commandId]))[0] ?? null;

/** As a batch of the relay, in one transaction. */
export async function dispatchTogether(
  database: Database,
  tenantId: string,
  commandIds: readonly string[],
): Promise<(Message | null)[]> {
  const row = { tenant_id: tenantId, is_logged: false, kind: 'COMMAND_ACCEPTED' };
  const rows = commandIds.map((fact_id, index) => ({ ...row, position: String(index), fact_id }));
  const { messages } = await asAllTenants(database, (tx) => commandOutbox(database, localSignals()).prepare(tx, rows));
  return messages;
}
