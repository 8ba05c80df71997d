import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Random bytes are drawn for many ids at once: drawn one by one they were 5 % of the CPU of accepting a command. */
const pool = Buffer.alloc(16 * 256);
let drawn = pool.length;

/** A UUID version 7 of that instant: ids of ours sort by the time they were made. */
export function newId(at = Date.now()): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const random = pool.subarray(drawn, drawn + 16);
  drawn += 16;
  return v7({ msecs: at, random });
}

/**
 * SQL: the time of a UUID version 7 that the database makes in this transaction, in hex; newIdTail() follows. Rounded to
 * milliseconds as what a column of instants keeps of now().
 */
export const ID_TIME = idTimeOf('now()');

/** SQL: the same for any instant. */
export function idTimeOf(instant: string): string {
  return `lpad(to_hex(round(extract(epoch from ${instant}) * 1000)::bigint), 12, '0')`;
}

/** What follows the time in a UUID version 7, in hex. */
export const newIdTail = () => newId(0).replaceAll('-', '').slice(12);

/** The lowest id of this time or later, as a request writes it, for ids that begin with the milliseconds of an instant. */
export function firstIdAt(time: string): string {
  // Finer than milliseconds counts as the next one: what came before it must not be listed as after it.
  const finer = /\.[0-9]{3}[0-9]*[1-9]/.test(time) ? 1 : 0;
  const milliseconds = Date.parse(time) + finer;
  const hex = milliseconds.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
