import { randomFillSync } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { v7 } from 'uuid';

/** Random bytes are drawn for many ids at once: drawing them one by one took 5 % of the CPU of accepting a command. */
const pool = Buffer.alloc(16 * 256);
let drawn = pool.length;

/** A UUID as the platform writes it. */
export const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A UUID version 7 of that instant: the platform's ids sort by creation time. */
export function newId(at = Date.now()): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const random = pool.subarray(drawn, drawn + 16);
  drawn += 16;
  return v7({ msecs: at, random });
}

/** The instant of a UUID version 7, in Unix milliseconds. */
export const idTimeMs = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** SQL: a UUID version 7 from the database's clock at the beginning of the transaction. */
export const newIdByDatabase = () => sql`(${sql.raw(idTimeOf('now()'))} || ${newIdTail()})::uuid`;

/** SQL: the time part, in hex, for any instant, rounded to milliseconds, as a column of instants rounds now(). */
export function idTimeOf(instant: string): string {
  return `lpad(to_hex(round(extract(epoch from ${instant}) * 1000)::bigint), 12, '0')`;
}

/** The part of a UUID version 7 after the time, in hex. */
export const newIdTail = () => newId(0).replaceAll('-', '').slice(12);

/** In ascending order: ids of one instant are then in the order in which they were asked for. */
export const newIdTails = (count: number) => Array.from({ length: count }, newIdTail).sort();

/** The instant of a request in milliseconds. A finer one is rounded up: an item before it must not be listed as after it. */
export const millisecondAt = (time: string) => Date.parse(time) + (/\.[0-9]{3}[0-9]*[1-9]/.test(time) ? 1 : 0);

/** The lowest id of this instant or later, for ids that begin with milliseconds. A request may give the instant. */
export function firstIdAt(time: string): string {
  const hex = millisecondAt(time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
