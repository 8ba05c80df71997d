import { MAX_MESSAGE_BYTES, readSubject, type SubjectKind } from '@tenant-open-platform/contract/bus';
import type { Logger } from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { z } from 'zod';
import type { Database } from '../database/database.js';
import { parseJson } from '../http/scan-json.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Delivery, Outcome } from './bus.js';
import { parkMessage } from './parked-messages.js';

/** Who sent a message, by its subject, and when. */
export type Sender = { tenantId: string; vendor: string; sentAt: Date };

/** DONE, or in a word why the message is refused. */
export type Taken = 'DONE' | (string & {});

type Options = { database: Database; logger: Logger; metrics: Metrics };

/** So often a message is tried before it is parked. */
const MAX_ATTEMPTS = 10;
/** Of a tenant and kind: whose adapter sends nonsense without end must not fill table and log. All are counted. */
const PARKED_PER_MINUTE = 600;

/**
 * Takes messages of one kind: of the right subject, size and shape, by the same rules of JSON as requests. What cannot
 * be taken is refused, counted, and parked with its reason: it never comes again, and nothing waits behind it.
 */
export function messageTaker<Schema extends z.ZodType>(
  { database, logger, metrics }: Options,
  kind: SubjectKind,
  schema: Schema,
  take: (message: z.infer<Schema>, sender: Sender) => Promise<Taken>,
) {
  const quota = new RateLimiterMemory({ points: PARKED_PER_MINUTE, duration: 60 });

  async function refuse(delivery: Delivery, reason: string): Promise<Outcome> {
    metrics.countMessage(kind, 'REFUSED');
    const hasRoom = await quota.consume(readSubject(delivery.subject)?.tenantId ?? '').then(
      () => true,
      () => false,
    );
    if (!hasRoom) return 'DONE';
    logger.warn({ subject: delivery.subject, reason }, 'a message from the bus is refused');
    await parkMessage(database, delivery, reason);
    return 'DONE';
  }

  return async (delivery: Delivery): Promise<Outcome> => {
    const sender = readSubject(delivery.subject);
    if (sender?.kind !== kind) return refuse(delivery, 'The subject is not one of the platform.');
    if (delivery.body.length > MAX_MESSAGE_BYTES) return refuse(delivery, `Larger than ${MAX_MESSAGE_BYTES} bytes.`);
    const parsed = parseJson(delivery.body);
    if (!('value' in parsed)) return refuse(delivery, `Not JSON of one meaning: ${parsed.problem.message}`);
    const checked = schema.safeParse(parsed.value);
    if (!checked.success) {
      const problems = checked.error.issues.map(({ path, message }) => `${path.join('/')} ${message}`);
      return refuse(delivery, `Not valid: ${problems.join('; ')}`.slice(0, 1_000));
    }
    try {
      const taken = await take(checked.data, {
        tenantId: sender.tenantId,
        vendor: sender.name,
        sentAt: delivery.sentAt,
      });
      if (taken !== 'DONE') return await refuse(delivery, taken);
      metrics.countMessage(kind, 'TAKEN');
      return 'DONE';
    } catch (error) {
      logger.error({ err: error, subject: delivery.subject, attempt: delivery.attempt }, 'a message was not taken');
      if (delivery.attempt < MAX_ATTEMPTS) return 'RETRY';
      return refuse(delivery, `Failed ${MAX_ATTEMPTS} times.`);
    }
  };
}
