import { InputTimestamp } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import type { Config } from '../config.js';
import { openBus } from '../engines.js';
import { type Database, openDatabase } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { StartupError } from '../foundation/startup-error.js';
import { createLogger } from '../foundation/telemetry/logger.js';
import { createMetrics } from '../foundation/telemetry/metrics.js';
import { createWatchdog } from '../foundation/telemetry/watchdog.js';
import { republish } from '../pipeline/outbox/republish.js';
import { createProvisioner } from '../pipeline/provision-durables.js';
import { readArguments } from './arguments.js';
import { leaveOut } from './left-out.js';

/** `outbox republish`: returns the line to print. */
export async function republishOutbox(config: Config, args: string[]): Promise<string> {
  const { since, tenantId } = readCommand(args);
  if (!config.DATABASE_URL || !config.NATS_URL) {
    throw new StartupError(
      'outbox republish needs the DATABASE_URL and the NATS_URL of the platform: the embedded database and the bus inside a process belong to that process alone.',
    );
  }
  const database = await openDatabase(config);
  try {
    const until = await untilNow(database, { since, tenantId });
    const logger = createLogger(config.LOG_LEVEL);
    const bus = await openBus(config, logger);
    try {
      // If this process finds that streams are gone, no other process knows that their durables are gone too.
      await createProvisioner(database, bus)();
      const metrics = createMetrics({ watchdog: createWatchdog() });
      const publisher = { database, bus, logger, metrics };
      const { messages, refused } = await republish(publisher, { since, until, tenantId });
      if (refused > 0)
        leaveOut(`${refused} messages, which the bus refuses for good: see topctl parked-messages list.`);
      return `Republished ${messages} messages.`;
    } finally {
      await bus.close();
    }
  } finally {
    await database.close();
  }
}

type Arguments = { since: string; tenantId?: string | undefined };

function readCommand(args: string[]): Arguments {
  const options = { since: { type: 'string' }, tenant: { type: 'string' } } as const;
  const { since, tenant } = readArguments({ args, options }, wrong).values;
  if (since === undefined) throw wrong('--since is required');
  const instant = InputTimestamp.safeParse(since);
  if (!instant.success) throw wrong(`--since ${instant.error.issues[0]?.message}`);
  return { since, tenantId: tenant };
}

/** This instant by the database's clock, which is also the outbox's. Refuses an impossible range. */
async function untilNow(database: Database, { since, tenantId }: Arguments): Promise<string> {
  const read = sql`
    select now()::text, ${since}::timestamptz <= now() as is_past,
      exists (select from tenants where tenant_id = ${tenantId ?? null}) as has_tenant`;
  type Found = { now: string; is_past: boolean; has_tenant: boolean };
  const [found] = await asAllTenantsStatement<Found>(database, read);
  if (!found?.is_past) throw wrong('--since lies in the future');
  if (tenantId !== undefined && !found.has_tenant) throw wrong(`there is no tenant ${tenantId}`);
  return found.now;
}

const wrong = (problem: string) =>
  new StartupError(`outbox republish: ${problem}. Usage: outbox republish --since <RFC 3339> [--tenant <tenant_id>]`);
