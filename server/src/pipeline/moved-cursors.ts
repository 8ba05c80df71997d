import type { Transaction } from '../foundation/database/database.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { type OpenedKeyring, sealedNumbers } from '../foundation/secrets/keyring.js';
import { sealedTable } from '../foundation/secrets/rewrap-secrets.js';
import { END_OF_LOG, leastOf, type Position, tagOf } from './events.js';
import { eventLogOrigins } from './tables.js';

/** Before every number, also before those of events that moved with their tenant. */
export const BEFORE_LOG = `-${END_OF_LOG}`;

/** The identity that the key of the cursors of an earlier place is sealed for. */
export const originOwner = (tenantId: string, position: number) => `event-log-origin:${tenantId}:${position}`;

export const sealedOrigins = sealedTable(eventLogOrigins, {
  id: 'position',
  secrets: { cursorKeySealed: ({ tenantId, position }) => originOwner(tenantId, position) },
});

type Origin = {
  position: number;
  key: string;
  generations: (typeof eventLogOrigins.$inferSelect)['generations'];
  from_seq: string;
  to_seq: string;
  shift: string;
};

const originsOf = statement(
  'events: where a tenant was before',
  (tenantId: string) => fixedSql`
    select position, encode(cursor_key_sealed, 'base64') as key, generations, from_seq::text, to_seq::text, shift::text
    from event_log_origins where tenant_id = ${tenantId} order by position`,
);

type Asking = { tenantId: string; asTenant: <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result> };

/** Where a reader goes on here. `restoredAt`: the other platform was restored since, so some earlier events may be gone. */
type Moved = { seq: string; restoredAt: Date | null };

/**
 * Opens a cursor that was written before its tenant moved here: by another platform, or by this one before the tenant
 * left and came back. The numbers of all stays at one platform are distinct. Null: the cursor is of the current stay, or
 * of no stay.
 */
export const createMovedCursors =
  (keyring: OpenedKeyring) =>
  async (sealed: string, { tenantId, asTenant }: Asking): Promise<Moved | null> => {
    const origins = await asTenant(async (tx) => [...(await tx.execute<Origin>(originsOf(tenantId)))]);
    let beyond: Moved | null = null;
    for (const origin of origins) {
      const owner = originOwner(tenantId, origin.position);
      const key = Buffer.from(keyring.open(Buffer.from(origin.key, 'base64'), owner), 'base64');
      const given = sealedNumbers(key, tenantId).open(sealed);
      if (given === null) continue;
      const { seq, restoredAt } = sharedBy(origin, given);
      const isOfStay = seq >= BigInt(origin.from_seq) && seq <= BigInt(origin.to_seq);
      const isEnd = given.seq === END_OF_LOG || given.seq === BEFORE_LOG;
      if (isOfStay && !isEnd) return { seq: String(seq - BigInt(origin.shift)), restoredAt };
      if (key.equals(keyring.cursorKey)) continue;
      beyond = { seq: isEnd ? given.seq : String(BigInt(origin.to_seq) - BigInt(origin.shift)), restoredAt };
    }
    return beyond;
  };

/** The last number up to `given` that its generation shares with the last one of the platform. */
function sharedBy({ generations }: Origin, given: Position) {
  const past = generations.find(({ id }) => tagOf(id) === given.generation);
  if (!past || past.shared_until === null) return { seq: BigInt(given.seq), restoredAt: null };
  const last = generations.find(({ shared_until }) => shared_until === null);
  return { seq: leastOf([BigInt(past.shared_until), BigInt(given.seq)]), restoredAt: new Date(last?.began_at ?? 0) };
}
