import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { DeviceRequest, DeviceRequestListQuery, DeviceRequestReply } from '../types.js';

/** What devices ask of the tenant. */
export class DeviceRequests {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Lists the requests, newest first. `received_after` is inclusive, `received_before` exclusive. With `wait_seconds`, 0 to
   * 30, the first page comes as soon as it has an item.
   *
   * Retried. Scope open:device-request:read. Errors: VALIDATION_FAILED, INVALID_CURSOR.
   */
  list(query?: DeviceRequestListQuery, options?: RequestOptions): PagePromise<DeviceRequest> {
    return this.#sender.list({ name: 'deviceRequests.list', path: '/api/v1/open/device-requests', query }, options);
  }

  /**
   * Reads one request and its reply.
   *
   * Retried. Scope open:device-request:read. Errors: NOT_FOUND.
   */
  get(deviceRequestId: string, options?: RequestOptions): ApiPromise<DeviceRequest> {
    return this.#sender.call(
      {
        name: 'deviceRequests.get',
        path: '/api/v1/open/device-requests/{request_id}',
        parameters: [deviceRequestId],
      },
      options,
    );
  }

  /**
   * Gives the one reply: the first wins, the same reply again answers as before, another one is refused.
   *
   * Retried. Scope open:device-request:create, which no built-in role has. Errors: NOT_FOUND,
   * DEVICE_REQUEST_ALREADY_REPLIED, DEVICE_REQUEST_EXPIRED, PAYLOAD_TOO_LARGE.
   */
  reply(deviceRequestId: string, body: DeviceRequestReply, options?: RequestOptions): ApiPromise<DeviceRequest> {
    return this.#sender.call(
      {
        name: 'deviceRequests.reply',
        method: 'POST',
        path: '/api/v1/open/device-requests/{request_id}/reply',
        parameters: [deviceRequestId],
        body,
      },
      options,
    );
  }
}
