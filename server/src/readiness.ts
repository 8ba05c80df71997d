import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import { shared } from './foundation/concurrency/shared-reads.js';
import type { Database } from './foundation/database/database.js';
import { codedErrorIn } from './foundation/database/database-error.js';
import { schemaState } from './foundation/database/migrate.js';
import type { Peers } from './foundation/peers.js';
import type { Watchdog } from './foundation/telemetry/watchdog.js';
import type { Bus } from './pipeline/bus/bus.js';

/** A probe is answered even if the database is down. */
const DATABASE_WITHIN_MS = 5_000;
/** A look costs 8 KiB of WAL, and probes come every second. Still a database that hangs shows within 10 seconds. */
const LOOK_AGAIN_AFTER_MS = 2_000;

type Phase = 'starting' | 'running' | 'stopping';
type Options = { database: Database; bus: Bus; watchdog: Watchdog; peers: Peers };

/** The platform is ready when each of its processes is. */
export function createReadiness({ database, bus, watchdog, peers }: Options) {
  let phase: Phase = 'starting';
  const silent = 'the database does not answer';
  const problem = shared(
    async () => {
      const [ofDatabase, ofStreams] = await Promise.all([
        Promise.race([
          writeProblem(database.sql).catch(() => silent),
          delay(DATABASE_WITHIN_MS, silent, { ref: false }),
        ]),
        // A bus that is not connected answers nothing: its streams need not be asked.
        bus.unreadyReason() ?? bus.streamProblem(),
      ]);
      return ofDatabase ?? bus.unreadyReason() ?? ofStreams ?? bus.deliveryProblem() ?? watchdog.stuckReason();
    },
    { forMs: LOOK_AGAIN_AFTER_MS },
  );
  const ownReason = async () => (phase === 'running' ? problem() : phase);
  peers.answer('why unready', ownReason);
  return {
    /** Why this process is unready; null if it is ready. The others of the platform have their own. */
    ownReason,
    enter(next: Phase): void {
      phase = next;
    },
    async unreadyReason(): Promise<string | null> {
      for (const [name, reason = 'no answer'] of await peers.ask('why unready')) {
        if (reason !== null) return name ? `${name}: ${reason}` : String(reason);
      }
      return null;
    },
  };
}

/**
 * Writes a page and rolls it back. A smaller write would not notice a full disk: it fits into a page that exists. Vacuum
 * cuts off the pages again, so each write needs a new one.
 */
const WRITE_A_PAGE = `
  do $$ begin
    insert into write_probe values (repeat('x', 8000));
    raise sqlstate 'UNDO0';
  exception when sqlstate 'UNDO0' then null;
  end $$`;

const reasons: Record<string, string> = { '25006': 'it is read-only', '53100': 'its disk is full' };

/** Why the database stores nothing at the moment; null if it does. Rejects if it does not answer. */
async function writeProblem(sql: postgres.Sql): Promise<string | null> {
  try {
    const schema = await schemaState(sql);
    if (schema === 'BEHIND') return 'migrations are missing';
    if (schema !== 'CURRENT') return 'the database has other migrations';
    await sql.unsafe(WRITE_A_PAGE);
    return null;
  } catch (error) {
    const coded = codedErrorIn(error);
    // Only errors of Postgres itself have a severity. Those of class 57P say that it starts or stops.
    if (!coded || !('severity' in coded) || coded.code.startsWith('57P')) throw error;
    return `the database refuses writes: ${reasons[coded.code] ?? `SQLSTATE ${coded.code}`}`;
  }
}
