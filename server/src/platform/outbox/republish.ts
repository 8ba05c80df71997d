import type { Message } from '../bus/bus.js';
import { StartupError } from '../startup-error.js';
import { type Publisher, publish } from './publish.js';

/** Of what is published again: since when, until when, and of which tenant where one is given. */
export type Range = { since: string; until: string; tenantId?: string | undefined };

/** `goOn` is the instant to give with --since if this page is the last that was published. */
export type Page = { messages: Message[]; goOn: string };

/** Messages that were published before, built again from the facts, page by page. */
export type Republishable = (range: Range) => AsyncIterable<Page>;

/**
 * Publishes again, under the same ids, what was published in the range. It changes no row and needs no lease: the relay
 * goes on beside it, and new messages do not wait behind the old ones.
 */
export async function republish(publisher: Publisher, sources: readonly Republishable[], range: Range) {
  const done = { messages: 0, refused: 0 };
  let { since } = range;
  try {
    for (const pages of sources) {
      for await (const { messages, goOn } of pages(range)) {
        const refusals = await publish(publisher, messages);
        done.messages += messages.length - refusals.length;
        done.refused += refusals.length;
        since = goOn;
      }
    }
    return done;
  } catch (error) {
    throw new StartupError(
      `outbox republish ended early, after ${done.messages} messages: go on with --since ${since}. Reason: ${reasonOf(error)}`,
    );
  }
}

/** The bus says how many messages may be missing, and in the cause why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} ${cause.message}` : error.message;
}
