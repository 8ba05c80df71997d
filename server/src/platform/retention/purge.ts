/** Deletes some expired rows. It is called again soon if there may be more. */
export type Purge = {
  table: string;
  round: () => Promise<{ removed: number; hasMore: boolean }>;
};

/**
 * This node's clock, for `least(now(), …)` in a purge. A row has expired once the database's clock and the node's both
 * say so: a clock that is ahead for a moment must not delete commands, nor nonces whose requests could then be replayed.
 */
export const nodeClock = () => new Date().toISOString();
