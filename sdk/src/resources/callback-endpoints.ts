import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type {
  CallbackEndpoint,
  CallbackEndpointCreate,
  CallbackEndpointListQuery,
  CallbackEndpointUpdate,
  CallbackEndpointUpdated,
  CallbackEndpointWithSecret,
} from '../types.js';

const SECRET_LOST =
  'see with callbackEndpoints.list whether the endpoint exists and which secret_version it has. If the request did take effect, its secret is lost: rotate it.';

/** Callback endpoints: where a later delivery service sends events. The platform itself delivers nothing. */
export class CallbackEndpoints {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Stores an endpoint and returns the secret that deliveries will be signed with, this once. By default at most 50 are ACTIVE in a
   * tenant.
   *
   * Not idempotent: after an unknown outcome it is not repeated, but throws an `UnknownOutcomeError`.
   * Scope open:callback:create. Errors: CALLBACK_URL_NOT_ALLOWED, RESOURCE_LIMIT_REACHED.
   */
  create(body: CallbackEndpointCreate, options?: RequestOptions): ApiPromise<CallbackEndpointWithSecret> {
    return this.#sender.call(
      {
        name: 'callbackEndpoints.create',
        method: 'POST',
        path: '/api/v1/open/callbacks/endpoints',
        body,
        check: SECRET_LOST,
      },
      options,
    );
  }

  /**
   * Lists the callback endpoints of the tenant, newest first, never their secrets. `limit` is the size of a page: 1 to
   * 500, 100 by default.
   *
   * Retried. Scope open:callback:read. Errors: INVALID_CURSOR.
   */
  list(query?: CallbackEndpointListQuery, options?: RequestOptions): PagePromise<CallbackEndpoint> {
    return this.#sender.list(
      { name: 'callbackEndpoints.list', path: '/api/v1/open/callbacks/endpoints', query },
      options,
    );
  }

  /**
   * Reads one callback endpoint, never its secret.
   *
   * Retried. Scope open:callback:read. Errors: NOT_FOUND.
   */
  get(endpointId: string, options?: RequestOptions): ApiPromise<CallbackEndpoint> {
    return this.#sender.call(
      {
        name: 'callbackEndpoints.get',
        path: '/api/v1/open/callbacks/endpoints/{endpoint_id}',
        parameters: [endpointId],
      },
      options,
    );
  }

  /**
   * Changes the fields that the body names and leaves the others. `rotate_secret: true` returns a new secret, this once;
   * the old one dies now, or after `previous_secret_ttl_seconds` (0 to 604,800).
   *
   * Idempotent and retried without rotate_secret; with it, an unknown outcome is an `UnknownOutcomeError`.
   * Scope open:callback:update. Errors: NOT_FOUND, CALLBACK_URL_NOT_ALLOWED, RESOURCE_LIMIT_REACHED.
   */
  update(
    endpointId: string,
    body: CallbackEndpointUpdate,
    options?: RequestOptions,
  ): ApiPromise<CallbackEndpointUpdated> {
    return this.#sender.call(
      {
        name: 'callbackEndpoints.update',
        method: 'PUT',
        path: '/api/v1/open/callbacks/endpoints/{endpoint_id}',
        parameters: [endpointId],
        body,
        check: body.rotate_secret ? SECRET_LOST : undefined,
      },
      options,
    );
  }
}
