import type { Transaction } from '../database/database.js';
import { BATCH, type LeftOut, type Turn, takeRows, takeRowsFrom } from './take-rows.js';

/** After a full pass, quick passes follow for this many times its duration. */
const QUICK_FOR_FULL = 3;
/** Their maximum duration: new tenants and rows that were committed late wait for the next full pass. */
const LONGEST_QUICK_MS = 500;

type Taken = Turn & { isQuick: boolean; tookMs: number };

/**
 * Full passes find every waiting row. While another client has an old transaction open, Postgres cannot remove the rows
 * that have left, and a full pass reads all of them. Quick passes begin at the first waiting row of each tenant.
 */
export function createPasses() {
  /** The tenant after which the next pass begins. */
  let after = '';
  let quickUntil = 0;
  /** By tenant: the position of its first row. Holds the tenants that were seen last. */
  const firstPositions = new Map<string, string>();

  return {
    after: () => after,

    async take(tx: Transaction, leftOut: LeftOut): Promise<Taken> {
      const startedAt = performance.now();
      const isQuick = startedAt < quickUntil && firstPositions.size > 0 && after === '';
      const taken = isQuick
        ? await takeRowsFrom(tx, firstPositions, leftOut)
        : await takeRows(tx, { after, ...leftOut });
      return { ...taken, isQuick, tookMs: performance.now() - startedAt };
    },

    /** Call it when the transaction has committed. */
    committed({ rows, after: next, isQuick, tookMs }: Taken): void {
      after = next;
      // Backwards, so that each tenant keeps its first row. Logged rows are left out: a quick pass never takes them.
      for (const { tenant_id, is_logged, position } of rows.toReversed()) {
        firstPositions.delete(tenant_id);
        if (!is_logged) firstPositions.set(tenant_id, position);
      }
      for (const tenantId of firstPositions.keys()) {
        if (firstPositions.size <= BATCH) break;
        firstPositions.delete(tenantId);
      }
      if (rows.length === 0) quickUntil = 0;
      else if (!isQuick) quickUntil = performance.now() + Math.min(LONGEST_QUICK_MS, QUICK_FOR_FULL * tookMs);
    },

    /** The next pass is full and begins after this tenant. */
    beginAfter(tenantId: string): void {
      after = tenantId;
      quickUntil = 0;
      firstPositions.clear();
    },
  };
}
