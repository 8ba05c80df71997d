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

/** What follows the 48 bits of time in a UUID version 7, in hex: for ids whose time the database gives. */
export const newIdTail = () => newId(0).replaceAll('-', '').slice(12);
