import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from './platform/bus/bus.js';
import type { Database } from './platform/database/database.js';
import { writeProblem } from './platform/database/write-problem.js';
import type { Probes } from './platform/http/probes.js';
import type { Peers } from './platform/processes/peers.js';
import type { Watchdog } from './platform/telemetry/watchdog.js';
import { shared } from './platform/waiting/shared.js';

/** A probe is answered even if the database is down. */
const DATABASE_WITHIN_MS = 5_000;
/** A look costs 8 KiB of WAL, and probes come every second. Still a database that hangs shows within 10 seconds. */
const LOOK_AT_DATABASE_EVERY_MS = 2_000;

type Phase = 'starting' | 'running' | 'stopping';
type Options = { database: Database; bus: Bus; watchdog: Watchdog; peers: Peers };

/** The platform is ready when each of its processes is. */
export function createReadiness({ database, bus, watchdog, peers }: Options): Probes & { enter(next: Phase): void } {
  let phase: Phase = 'starting';
  const databaseProblem = shared(
    () =>
      Promise.race([
        writeProblem(database.sql).catch(() => 'the database does not answer'),
        delay(DATABASE_WITHIN_MS, 'the database does not answer', { ref: false }),
      ]),
    { forMs: LOOK_AT_DATABASE_EVERY_MS },
  );
  const problem = shared(
    async () => {
      const [ofDatabase, ofStreams] = await Promise.all([databaseProblem(), bus.streamProblem()]);
      return ofDatabase ?? bus.unreadyReason() ?? ofStreams ?? watchdog.stuckReason();
    },
    { forMs: 1_000 },
  );
  peers.answer('why unready', async () => (phase === 'running' ? problem() : phase));
  return {
    enter(next) {
      phase = next;
    },
    async unreadyReason() {
      for (const [name, reason] of await peers.ask('why unready')) {
        if (reason !== null) return name ? `${name}: ${reason ?? 'no answer'}` : String(reason);
      }
      return null;
    },
  };
}
