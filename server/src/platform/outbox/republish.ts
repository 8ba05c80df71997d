import type { Message } from '../bus/bus.js';
import { StartupError } from '../startup-error.js';
import { type Publisher, publish } from './publish.js';

/** The range to publish again: its start, its end, and optionally one tenant. */
export type Range = { since: string; until: string; tenantId?: string | undefined };

/** `resumeFrom`: the instant to pass to --since if this page is the last one published. */
export type Page = { messages: Message[]; resumeFrom: string };

/** Messages that were published before, rebuilt from the facts, page by page. */
export type Republishable = (range: Range) => AsyncIterable<Page>;

/** Publishes again under the same ids. It changes no row and needs no lease: the relay continues beside it. */
export async function republish(publisher: Publisher, sources: readonly Republishable[], range: Range) {
  const done = { messages: 0, refused: 0 };
  let { since } = range;
  try {
    for (const pages of sources) {
      for await (const { messages, resumeFrom } of pages(range)) {
        const refusals = await publish(publisher, messages);
        done.messages += messages.length - refusals.length;
        done.refused += refusals.length;
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
