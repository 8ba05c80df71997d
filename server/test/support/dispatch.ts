import { commandOutbox } from '../../src/features/commands/background/command-outbox.js';
import type { Message } from '../../src/platform/bus/bus.js';
import type { Database } from '../../src/platform/database/database.js';
import { asAllTenants } from '../../src/platform/database/roles.js';
import { localSignals } from '../../src/platform/signals/signals.js';
import { silent } from './silent.js';

/** What the relay commits for an accepted command, and the message that it then publishes; null for none. */
export async function dispatch(database: Database, tenantId: string, commandId: string): Promise<Message | null> {
  const { messages } = await asAllTenants(database, (tx) =>
    commandOutbox(database, localSignals(), silent().metrics).prepare(tx, [
      { tenant_id: tenantId, is_logged: false, position: '1', kind: 'COMMAND_ACCEPTED', fact_id: commandId },
    ]),
  );
  return messages[0] ?? null;
}
