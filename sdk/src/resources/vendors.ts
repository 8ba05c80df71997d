import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { CatalogVendor, VendorListQuery, VendorPut } from '../types.js';

/** Vendors of the platform's catalog. For platform administrators; `catalog.get` is what tenants see of it. */
export class Vendors {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Lists all vendors, disabled ones included, newest first.
   *
   * Retried. Scope platform:catalog:read, in tenant `platform`. Errors: INVALID_CURSOR.
   */
  list(query?: VendorListQuery, options?: RequestOptions): PagePromise<CatalogVendor> {
    return this.#sender.list({ name: 'vendors.list', path: '/api/v1/platform/catalog/vendors', query }, options);
  }

  /**
   * Puts the vendor into the catalog, or changes it there. A disabled vendor takes no new commands, from the next one on;
   * those accepted before go on.
   *
   * Idempotent, retried. Scope platform:catalog:update, in tenant `platform`.
   */
  put(vendor: string, body: VendorPut, options?: RequestOptions): ApiPromise<CatalogVendor> {
    return this.#sender.call(
      {
        name: 'vendors.put',
        method: 'PUT',
        path: '/api/v1/platform/catalog/vendors/{vendor}',
        parameters: [vendor],
        body,
      },
      options,
    );
  }
}
