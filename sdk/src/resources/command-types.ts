import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { CatalogCommandType, CommandTypeListQuery, CommandTypePut } from '../types.js';

/** Command types of the vendors in the platform's catalog. For platform administrators. */
export class CommandTypes {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Lists all command types of the vendor, disabled ones included, newest first.
   *
   * Retried. Scope platform:catalog:read, in tenant `platform`. Errors: INVALID_CURSOR, NOT_FOUND (the vendor).
   */
  list(vendor: string, query?: CommandTypeListQuery, options?: RequestOptions): PagePromise<CatalogCommandType> {
    return this.#sender.list(
      {
        name: 'commandTypes.list',
        path: '/api/v1/platform/catalog/vendors/{vendor}/command-types',
        parameters: [vendor],
        query,
      },
      options,
    );
  }

  /**
   * Puts the command type into the catalog, or changes the fields that the body names. A new one needs `description` and
   * `payload_schema`. A changed `payload_schema` counts up `revision` and holds from the next command on.
   *
   * Idempotent, retried. Scope platform:catalog:update, in tenant `platform`. Errors: PAYLOAD_SCHEMA_INVALID, NOT_FOUND
   * (the vendor).
   */
  put(
    vendor: string,
    commandType: string,
    body: CommandTypePut,
    options?: RequestOptions,
  ): ApiPromise<CatalogCommandType> {
    return this.#sender.call(
      {
        name: 'commandTypes.put',
        method: 'PUT',
        path: '/api/v1/platform/catalog/vendors/{vendor}/command-types/{command_type}',
        parameters: [vendor, commandType],
        body,
      },
      options,
    );
  }
}
