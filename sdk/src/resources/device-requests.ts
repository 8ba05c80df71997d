import type { DeviceRequestListQuery, ListedDeviceRequest } from '../api.gen.js';
import { FOLLOW_WAIT_SECONDS, follow } from '../core/follow.js';
import { isEndOfLog, type PagePromise } from '../core/page.js';
import type { RequestOptions } from '../core/request-options.js';
import { resourceClass } from '../core/resource-class.js';
import type { Sender } from '../core/send.js';
import type { DeviceRequestsResource } from '../resources.gen.js';

/** The start, the filters, and the settings of each request. */
export interface DeviceRequestFollowOptions
  extends RequestOptions,
    Pick<DeviceRequestListQuery, 'vendor' | 'device_id' | 'request_type' | 'limit'> {
  /** The `cursor` of a request that was followed with the same filters. Default: the oldest PENDING request. */
  from?: string | undefined;
}

export class DeviceRequests extends resourceClass<DeviceRequestsResource>('deviceRequests') {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    super(sender);
    this.#sender = sender;
  }

  /**
   * Follows device requests: each PENDING request once, oldest first, until you leave the loop or `signal` aborts it.
   * It continues through outages and restarts of the platform. Without `from` it begins with all PENDING requests, so a
   * program that replies to each need not save a cursor.
   *
   * ```ts
   * for await (const request of client.deviceRequests.follow({ signal })) {
   *   await client.deviceRequests.reply(request.device_request_id, answerTo(request));
   * }
   * ```
   *
   * A refusal such as FORBIDDEN ends the loop. An abort ends it with the reason of the signal.
   * Scope open:device-request:read.
   * Errors: INVALID_CURSOR.
   */
  follow(options: DeviceRequestFollowOptions = {}): AsyncGenerator<ListedDeviceRequest, void, undefined> {
    const { from, vendor, device_id, request_type, limit, ...settings } = options;
    const filters = { vendor, device_id, request_type, status: 'PENDING', order: 'asc' } as const;
    const query = { ...filters, limit, wait_seconds: FOLLOW_WAIT_SECONDS };
    return follow((cursor) => this.list({ ...query, cursor }, settings), from, settings.signal);
  }

  /**
   * Lists the requests from devices of the tenant, newest first by default. With `order: 'asc'`, oldest first,
   * `next_cursor` is never null: an empty page whose `next_cursor` equals the sent cursor means that there is nothing
   * new, and an iteration ends there. With `wait_seconds` too, an iteration goes on until you leave it; {@link follow}
   * also continues through outages.
   *
   * Retried.
   * Scope open:device-request:read.
   * Errors: INVALID_CURSOR.
   */
  override list(query?: DeviceRequestListQuery, options?: RequestOptions): PagePromise<ListedDeviceRequest> {
    if (query?.order !== 'asc') return super.list(query, options);
    return this.#sender.list('deviceRequests.list', { query }, options, isEndOfLog(query));
  }
}
