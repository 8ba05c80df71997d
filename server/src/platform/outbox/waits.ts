/** Estimates in seconds. A tenant that is not named does not wait. */
export type Waits = {
  /** Until a new command of the tenant leaves. */
  tenants: Record<string, number>;
  /** Until an update that an adapter sends now is taken. */
  updates: number;
};

export const NO_WAITS: Waits = { tenants: {}, updates: 0 };

/**
 * How long the last of each tenant's rows waits where tenants take turns and so many rows leave in a second: until it
 * has left, every other tenant has had as many rows as this one, or all that it has.
 */
export function waitsOf(waiting: ReadonlyMap<string, number>, rowsPerSecond: number): Record<string, number> {
  const ascending = [...waiting].sort(([, one], [, other]) => one - other);
  const waits: Record<string, number> = {};
  let ofShorter = 0;
  for (const [index, [tenantId, rows]] of ascending.entries()) {
    const seconds = (ofShorter + rows * (ascending.length - index)) / rowsPerSecond;
    ofShorter += rows;
    if (seconds >= SHORTEST_SECONDS) waits[tenantId] = Math.round(seconds * 10) / 10;
  }
  return waits;
}

/** A shorter wait refuses nobody, so it is not stored. */
const SHORTEST_SECONDS = 0.25;
