import type { ApiPromise } from '../core/api-promise.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { Catalog } from '../types.js';

/** What can be sent to devices. */
export class CatalogResource {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Reads the enabled vendors, their enabled command types and the JSON Schema of each payload.
   *
   * Retried. Scope open:catalog:read.
   */
  get(options?: RequestOptions): ApiPromise<Catalog> {
    return this.#sender.call({ name: 'catalog.get', path: '/api/v1/open/catalog' }, options);
  }
}
