/** Estimates in seconds. A tenant that is not listed does not wait. */
export type Waits = {
  /** Until a new command of the tenant leaves. */
  tenants: Record<string, number>;
  /** Until an update that an adapter sends now is handled. */
  updates: number;
};

export const NO_WAITS: Waits = { tenants: {}, updates: 0 };

/**
 * The wait of each tenant's last row, if tenants take turns and this many rows leave per second. When the row leaves,
 * every other tenant has had as many rows as this tenant, or all of its own.
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
