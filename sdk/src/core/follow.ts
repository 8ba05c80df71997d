import type { RuntimeAbortSignal } from '../runtime.js';
import { outlast } from './outlast.js';
import { type Page, repeatedCursor } from './page.js';
import { backOffMs } from './retry.js';
import { sleep } from './sleep.js';

export const FOLLOW_WAIT_SECONDS = 30;
/** A platform that waits answers an empty page after this time, or when it stops. */
const SHORTEST_WAIT_MS = 1_000;

/**
 * Reads a list that grows after its last cursor: each item once, in order, until the caller leaves the loop or `signal`
 * aborts. It continues through outages from its position. A page is read only when the loop needs it.
 */
export async function* follow<Item extends { cursor: string }>(
  readPage: (cursor: string | undefined) => PromiseLike<Page<Item>>,
  from: string | undefined,
  signal: RuntimeAbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  let cursor = from;
  for (let quickAnswers = 0; ; ) {
    const startedAt = performance.now();
    const { items, next_cursor } = await outlast(async () => readPage(cursor), { endsAt: Infinity, signal });
    for (const item of items) {
      if (signal?.aborted) throw signal.reason;
      yield item;
    }
    const isFirst = cursor === undefined;
    const before = cursor;
    cursor = next_cursor ?? items.at(-1)?.cursor ?? cursor;
    // A page without items whose cursor moved has read a part of a long list that the filters exclude.
    const hasMoved = !isFirst && cursor !== before;
    if (items.length > 0 && !isFirst && !hasMoved) throw repeatedCursor();
    if (items.length > 0 || hasMoved || performance.now() - startedAt >= SHORTEST_WAIT_MS) {
      quickAnswers = 0;
      continue;
    }
    // Without a pause, a platform that does not wait would be polled in a hot loop. The first empty page may be the one
    // of `from: 'now'`, which is answered at once.
    if (quickAnswers > 0) await sleep(SHORTEST_WAIT_MS + backOffMs(quickAnswers), signal);
    quickAnswers += 1;
  }
}
