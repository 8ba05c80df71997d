import type { EventListQuery, ListedEvent } from '../api.gen.js';
import { FOLLOW_WAIT_SECONDS, follow } from '../core/follow.js';
import { isEndOfLog, type PagePromise } from '../core/page.js';
import type { RequestOptions } from '../core/request-options.js';
import { resourceClass } from '../core/resource-class.js';
import type { Sender } from '../core/send.js';
import type { EventsResource } from '../resources.gen.js';

/** The start, the filters, and the settings of each request. */
export interface EventFollowOptions
  extends RequestOptions,
    Pick<EventListQuery, 'event_type' | 'command_id' | 'limit'> {
  /**
   * `'now'`: events logged after the first answer of the platform. A Date: events logged then or later. A `cursor` of an event that was
   * followed or listed with the same filters: the events after it. `'beginning'`: all events.
   */
  from: 'now' | 'beginning' | Date | (string & {});
  /**
   * Called if the database of the platform was restored at this instant (RFC 3339), after the position of the loop. The
   * loop goes on and misses no event. Some of the events that it gave before may not exist any more.
   */
  onRestored?: ((restoredAt: string) => void) | undefined;
}

export class Events extends resourceClass<EventsResource>('events') {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    super(sender);
    this.#sender = sender;
  }

  /**
   * Follows the event log: each event once, in the order of the log, until you leave the loop or `signal` aborts it. It
   * continues through outages and restarts of the platform. Save the `cursor` of an event once you have handled it, and
   * resume from there after a restart of your program.
   *
   * ```ts
   * for await (const event of client.events.follow({ from: saved ?? 'now', signal })) {
   *   await handle(event);
   *   await save(event.cursor);
   * }
   * ```
   *
   * A refusal such as FORBIDDEN ends the loop. An abort ends it with the reason of the signal.
   * Scope open:event:read.
   * Errors: INVALID_CURSOR.
   */
  follow(options: EventFollowOptions): AsyncGenerator<ListedEvent, void, undefined> {
    const { from, event_type, command_id, limit, onRestored, ...settings } = options;
    const query = { event_type, command_id, limit, wait_seconds: FOLLOW_WAIT_SECONDS };
    const start = from instanceof Date ? from.toISOString() : from === 'now' ? from : undefined;
    const cursor = start || from === 'beginning' ? undefined : String(from);
    const readPage = async (at: string | undefined) => {
      const page = await this.list({ ...query, ...(at === undefined ? { from: start } : { cursor: at }) }, settings);
      if (page.restored_at) onRestored?.(page.restored_at);
      return page;
    };
    return follow(readPage, cursor, settings.signal);
  }

  /**
   * Lists the events of the tenant from `cursor` on, oldest first. `next_cursor` is never null. An empty page whose
   * `next_cursor` equals the sent cursor means that there is nothing new; an iteration ends there. With `wait_seconds`,
   * 1 to 30, a page is answered as soon as it has an event, and an iteration follows the log until you leave it. {@link
   * follow} also continues through outages.
   *
   * Retried.
   * Scope open:event:read.
   * Errors: INVALID_CURSOR.
   */
  override list(query?: EventListQuery, options?: RequestOptions): PagePromise<ListedEvent> {
    return this.#sender.list('events.list', { query }, options, isEndOfLog(query));
  }
}
