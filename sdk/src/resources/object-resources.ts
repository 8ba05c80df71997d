import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { ObjectResource, ObjectResourceCreate, ObjectResourceListQuery, ObjectResourceUpdate } from '../types.js';

/** Object resources: which part of a bucket may be presigned, for what. */
export class ObjectResources {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Allows presigned access to a part of a bucket: which operations, below which prefix, of which types and sizes, for how
   * long. By default at most 200 are ACTIVE in a tenant.
   *
   * Not idempotent: after an unknown outcome it is not repeated, but throws an `UnknownOutcomeError`.
   * Scope open:object-config:create. Errors: NOT_FOUND (the object credential), RESOURCE_LIMIT_REACHED.
   */
  create(body: ObjectResourceCreate, options?: RequestOptions): ApiPromise<ObjectResource> {
    return this.#sender.call(
      {
        name: 'objectResources.create',
        method: 'POST',
        path: '/api/v1/open/objects/resources',
        body,
        check: 'see with objectResources.list whether the resource exists before you create it again.',
      },
      options,
    );
  }

  /**
   * Lists the object resources of the tenant, newest first, or those of one object credential.
   *
   * Retried. Scope open:object-config:read. Errors: INVALID_CURSOR.
   */
  list(query?: ObjectResourceListQuery, options?: RequestOptions): PagePromise<ObjectResource> {
    return this.#sender.list({ name: 'objectResources.list', path: '/api/v1/open/objects/resources', query }, options);
  }

  /**
   * Changes the fields that the body names and leaves the others, from the next presign on; URLs issued before go on.
   * DISABLED refuses every presign.
   *
   * Idempotent, retried. Scope open:object-config:update. Errors: NOT_FOUND, RESOURCE_LIMIT_REACHED.
   */
  update(resourceId: string, body: ObjectResourceUpdate, options?: RequestOptions): ApiPromise<ObjectResource> {
    return this.#sender.call(
      {
        name: 'objectResources.update',
        method: 'PUT',
        path: '/api/v1/open/objects/resources/{resource_id}',
        parameters: [resourceId],
        body,
      },
      options,
    );
  }
}
