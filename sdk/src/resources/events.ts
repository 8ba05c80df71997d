import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { EventListQuery, PlatformEvent } from '../types.js';

/** The event log of the tenant. */
export class Events {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Reads the events, oldest first, from `cursor` on. `next_cursor` is always there, and items are empty where there is
   * nothing new: iterated, the list ends there. With `wait_seconds`, 1 to 30, a page comes as soon as it has an event, and
   * an iteration follows the log for ever, until it is left. To go on after a restart, ask page by page and keep the
   * `next_cursor` of each.
   *
   * Retried. Scope open:event:read. Errors: VALIDATION_FAILED, INVALID_CURSOR.
   */
  list(query?: EventListQuery, options?: RequestOptions): PagePromise<PlatformEvent> {
    return this.#sender.list(
      { name: 'events.list', path: '/api/v1/open/events', query },
      options,
      ({ items }) => items.length === 0 && !query?.wait_seconds,
    );
  }
}
