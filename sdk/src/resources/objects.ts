import type { ApiPromise } from '../core/api-promise.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { PresignedRequest, PresignRequest } from '../types.js';

/** Objects in the tenant's own stores. `@tenant-open-platform/sdk/objects` uploads and downloads with it. */
export class Objects {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Checks the resource's policy and signs one request to the store. Send `method`, `url` and `headers` exactly as they
   * are; whoever has the URL may use it until it expires. UPLOAD requires `content_type` and `content_length`.
   *
   * Retried: each attempt may record a grant. Scope open:object:create. Errors: OBJECT_POLICY_DENIED, NOT_FOUND (the
   * object resource), VALIDATION_FAILED.
   */
  presign(body: PresignRequest, options?: RequestOptions): ApiPromise<PresignedRequest> {
    return this.#sender.call(
      { name: 'objects.presign', method: 'POST', path: '/api/v1/open/objects/presign', body },
      options,
    );
  }
}
