import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type {
  CallbackSubscription,
  CallbackSubscriptionCreate,
  CallbackSubscriptionDeleted,
  CallbackSubscriptionListQuery,
} from '../types.js';

/** Callback subscriptions: which events an endpoint gets. */
export class CallbackSubscriptions {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Subscribes the endpoint to an event type, `command.accepted` or `command.completed`, once for each.
   *
   * Not idempotent: after an unknown outcome it is not repeated, but throws an `UnknownOutcomeError`.
   * Scope open:callback:create. Errors: NOT_FOUND, EVENT_TYPE_NOT_SUBSCRIBABLE, SUBSCRIPTION_ALREADY_EXISTS.
   */
  create(
    endpointId: string,
    body: CallbackSubscriptionCreate,
    options?: RequestOptions,
  ): ApiPromise<CallbackSubscription> {
    return this.#sender.call(
      {
        name: 'callbackSubscriptions.create',
        method: 'POST',
        path: '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions',
        parameters: [endpointId],
        body,
        check: 'see with callbackSubscriptions.list whether the subscription exists before you create it again.',
      },
      options,
    );
  }

  /**
   * Lists the subscriptions of the endpoint, newest first.
   *
   * Retried. Scope open:callback:read. Errors: INVALID_CURSOR, NOT_FOUND (the endpoint).
   */
  list(
    endpointId: string,
    query?: CallbackSubscriptionListQuery,
    options?: RequestOptions,
  ): PagePromise<CallbackSubscription> {
    return this.#sender.list(
      {
        name: 'callbackSubscriptions.list',
        path: '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions',
        parameters: [endpointId],
        query,
      },
      options,
    );
  }

  /**
   * Ends the subscription.
   *
   * Retried: a NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt already deleted the subscription.
   * Scope open:callback:disable. Errors: NOT_FOUND.
   */
  delete(
    endpointId: string,
    subscriptionId: string,
    options?: RequestOptions,
  ): ApiPromise<CallbackSubscriptionDeleted> {
    return this.#sender.call(
      {
        name: 'callbackSubscriptions.delete',
        method: 'DELETE',
        path: '/api/v1/open/callbacks/endpoints/{endpoint_id}/subscriptions/{subscription_id}',
        parameters: [endpointId, subscriptionId],
      },
      options,
    );
  }
}
