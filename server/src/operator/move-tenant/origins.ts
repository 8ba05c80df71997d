import { sql } from 'drizzle-orm';
import { leastOf } from '../../pipeline/events.js';
import { originOwner } from '../../pipeline/moved-cursors.js';
import { eventLogOrigins } from '../../pipeline/tables.js';
import { type Copying, openSecret, whileArriving } from './copy-rows.js';
import type { Place } from './place.js';

type Origin = Omit<typeof eventLogOrigins.$inferSelect, 'tenantId' | 'cursorKeySealed'> & { cursorKey: string };

/** The key as base64 text, as openKeyring seals it. */
const keyOf = ({ keyring }: Place) => keyring.cursorKey.toString('base64');

async function readOrigins(place: Place): Promise<Origin[]> {
  const { tenantId } = place;
  const rows = await place.asTenant((tx) =>
    tx.select().from(eventLogOrigins).where(sql`tenant_id = ${tenantId}`).orderBy(eventLogOrigins.position),
  );
  return rows.map(({ tenantId: _, cursorKeySealed, ...row }) => ({
    ...row,
    cursorKey: openSecret(place, cursorKeySealed, originOwner(tenantId, row.position)),
  }));
}

/** The log of the source may grow by so many events while the tenant is copied and still open. */
const GROWTH = 10_000_000_000n;

/**
 * How much less the events have in the target, so that they come below 0, and below what the tenant had in the target
 * before. `logEnd`: the last number of the log of the source.
 */
export async function shiftOf(source: Place, target: Place, logEnd: string): Promise<bigint> {
  const former = (await readOrigins(source)).filter(({ cursorKey }) => cursorKey === keyOf(target));
  const lowest = leastOf([0n, ...former.map(({ fromSeq }) => fromSeq)]);
  return BigInt(logEnd) + GROWTH - lowest;
}

/** Writes how cursors of the source, and of the places before, are continued in the target. */
export async function copyOrigins(copying: Copying, logEnd: string): Promise<void> {
  const { source, target, shift } = copying;
  const known = await readOrigins(source);
  const lowest = leastOf([0n, ...known.map(({ fromSeq, shift }) => fromSeq - shift)]);
  const generations = await source.readAsSystem<Origin['generations'][number]>(sql`
    select id, shared_until::float8, to_char(began_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as began_at
    from database_generations`);
  const moved = known.map((origin) => ({ ...origin, shift: origin.shift + shift }));
  const own = { position: known.length, cursorKey: keyOf(source), fromSeq: lowest, toSeq: BigInt(logEnd), shift };
  const rows = [...moved, { ...own, generations }].map(({ cursorKey, ...row }) => ({
    ...row,
    tenantId: target.tenantId,
    cursorKeySealed: target.keyring.seal(cursorKey, originOwner(target.tenantId, row.position)),
  }));
  await whileArriving(copying, (tx) => tx.insert(eventLogOrigins).values(rows).onConflictDoNothing());
}
