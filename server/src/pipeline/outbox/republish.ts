import type { Database } from '../../foundation/database/database.js';
import { asAllTenants } from '../../foundation/database/row-level-security.js';
import { StartupError } from '../../foundation/startup-error.js';
import type { Message } from '../bus/bus.js';
import { republishedReplies } from '../device-requests.js';
import { republishedEvents } from '../event-log.js';
import type { RepublishedRange } from '../tables.js';
import { republishedCommands } from './dispatch.js';
import { type Publisher, publish } from './publish.js';

/** Messages that were published before, rebuilt from the facts. `resumeFrom`: the instant to pass to --since after it. */
export type RepublishedPages = (
  database: Database,
  range: RepublishedRange,
) => AsyncIterable<{ messages: Message[]; resumeFrom: string }>;

/** Commands and replies come first, because adapters and devices wait for them. */
const everything: readonly RepublishedPages[] = [republishedCommands, republishedReplies, republishedEvents];

/** Publishes again under the same ids. It changes no row and needs no slot: the relay continues beside it. */
export async function republish(
  { database, ...publisher }: Publisher & { database: Database },
  range: RepublishedRange,
  sources = everything,
) {
  const done = { messages: 0, refused: 0 };
  let { since } = range;
  try {
    for (const pages of sources) {
      for await (const { messages, resumeFrom } of pages(database, range)) {
        const refused = await publish(publisher, messages, (work) => asAllTenants(database, work));
        done.messages += messages.length - refused.length;
        done.refused += refused.length;
        since = resumeFrom;
      }
    }
    return done;
  } catch (error) {
    throw new StartupError(
      `outbox republish ended early, after ${done.messages} messages: continue with --since ${since}. Reason: ${reasonOf(error)}`,
    );
  }
}

/** The bus reports how many messages may be missing; the cause holds the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} ${cause.message}` : error.message;
}
