import type { ApiPromise } from '../core/api-promise.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { Me } from '../types.js';

/** The calling credential. */
export class MeResource {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Tells who the caller is, what it may do and which limits apply. Any live credential may call it.
   *
   * Retried.
   */
  get(options?: RequestOptions): ApiPromise<Me> {
    return this.#sender.call({ name: 'me.get', path: '/api/v1/open/me' }, options);
  }
}
