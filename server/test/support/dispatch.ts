import { commandOutbox } from '../../src/features/commands/background/command-outbox.js';
import type { Message } from '../../src/platform/bus/bus.js';
import type { Database } from '../../src/platform/database/database.js';
import { asAllTenants } from '../../src/platform/database/roles.js';
import { localSignals } from '../../src/platform/signals/signals.js';
import { silent } from './silent.js';

/** Dispatches an accepted command as the relay does. Returns the message that the relay would publish, or null. */
export async function dispatch(database: Database, tenantId: string, commandId: string): Promise<Message | null> {
  const { messages } = await asAllTenants(database, (tx) =>
    commandOutbox(database, localSignals(), silent().metrics).prepare(tx, [
      { tenant_id: tenantId, is_logged: false, position: '1', kind: 'COMMAND_ACCEPTED', fact_id: commandId },
    ]),
  );
  return messages[0] ?? null;
}
