import type { Database } from '../../src/foundation/database/database.js';
import { asAllTenants } from '../../src/foundation/database/row-level-security.js';
import type { Now } from '../../src/foundation/database/steady-clock.js';
import { localSignals } from '../../src/foundation/signals/signals.js';
import type { Message } from '../../src/pipeline/bus/bus.js';
import { createDispatch } from '../../src/pipeline/outbox/dispatch.js';
import { silent } from './silent.js';

/** Dispatches an accepted command as the relay does. Returns the message that the relay would publish, or null. */
export const dispatch = async (
  database: Database,
  tenantId: string,
  commandId: string,
  now?: Now,
): Promise<Message | null> => (await dispatchTogether(database, tenantId, [commandId], now))[0] ?? null;

/** Dispatches commands in one transaction, as a batch of the relay; `first` runs in it before. */
export async function dispatchTogether(
  database: Database,
  tenantId: string,
  commandIds: readonly string[],
  now: Now = silent().now,
  first: () => Promise<unknown> = async () => {},
): Promise<(Message | null)[]> {
  const row = { tenant_id: tenantId, is_logged: false, kind: 'COMMAND_ACCEPTED' };
  const rows = commandIds.map((fact_id, index) => ({ ...row, position: String(index), fact_id }));
  const { messages } = await asAllTenants(database, async (tx) => {
    await first();
    return createDispatch({ ...silent(), signals: localSignals(), now }).prepare(tx, rows);
  });
  return messages;
}
