import { commandOutbox } from '../../src/features/commands/background/command-outbox.js';
import type { Message } from '../../src/platform/bus/bus.js';
import type { Database } from '../../src/platform/database/database.js';
import { asAllTenants } from '../../src/platform/database/roles.js';
import type { Now } from '../../src/platform/database/steady-clock.js';
import { localSignals } from '../../src/platform/signals/signals.js';
import { silent } from './silent.js';

/** Dispatches an accepted command as the relay does. Returns the message that the relay would publish, or null. */
export const dispatch = async (
  database: Database,
  tenantId: string,
  commandId: string,
  now?: Now,
): Promise<Message | null> => (await dispatchTogether(database, tenantId, [commandId], now))[0] ?? null;

/** Dispatches commands in one transaction, as a batch of the relay. */
export async function dispatchTogether(
  database: Database,
  tenantId: string,
  commandIds: readonly string[],
  now: Now = silent().now,
): Promise<(Message | null)[]> {
  const row = { tenant_id: tenantId, is_logged: false, kind: 'COMMAND_ACCEPTED' };
  const rows = commandIds.map((fact_id, index) => ({ ...row, position: String(index), fact_id }));
  const { messages } = await asAllTenants(database, (tx) =>
    commandOutbox({ ...silent(), database, signals: localSignals(), now }).prepare(tx, rows),
  );
  return messages;
}
