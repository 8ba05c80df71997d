import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type {
  ObjectCredential,
  ObjectCredentialCreate,
  ObjectCredentialListQuery,
  ObjectCredentialUpdate,
} from '../types.js';

/** Object credentials: access to the tenant's own S3-compatible stores. */
export class ObjectCredentials {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Registers access to a store. The platform seals `secret_access_key` and `session_token` and never returns them. At
   * most 50 are ACTIVE in a tenant.
   *
   * Not idempotent: after an unknown outcome it is not repeated, but throws an `UnknownOutcomeError`.
   * Scope open:object-config:create. Errors: VALIDATION_FAILED, RESOURCE_LIMIT_REACHED.
   */
  create(body: ObjectCredentialCreate, options?: RequestOptions): ApiPromise<ObjectCredential> {
    return this.#sender.call(
      {
        name: 'objectCredentials.create',
        method: 'POST',
        path: '/api/v1/open/objects/credentials',
        body,
        check: 'see with objectCredentials.list whether the credential exists before you create it again.',
      },
      options,
    );
  }

  /**
   * Lists the object credentials of the tenant, newest first, never their secrets. `limit` is the size of a page: 1 to
   * 500, 100 by default.
   *
   * Retried. Scope open:object-config:read. Errors: INVALID_CURSOR.
   */
  list(query?: ObjectCredentialListQuery, options?: RequestOptions): PagePromise<ObjectCredential> {
    return this.#sender.list(
      { name: 'objectCredentials.list', path: '/api/v1/open/objects/credentials', query },
      options,
    );
  }

  /**
   * Changes the fields that the body names and leaves the others, from the next presign on; URLs issued before go on.
   * `access_key_id` and `secret_access_key` together rotate the access key. DISABLED refuses every presign.
   *
   * Idempotent and retried without a new access key; with it, an unknown outcome is an `UnknownOutcomeError`.
   * Scope open:object-config:update. Errors: NOT_FOUND, VALIDATION_FAILED, RESOURCE_LIMIT_REACHED.
   */
  update(credentialId: string, body: ObjectCredentialUpdate, options?: RequestOptions): ApiPromise<ObjectCredential> {
    return this.#sender.call(
      {
        name: 'objectCredentials.update',
        method: 'PUT',
        path: '/api/v1/open/objects/credentials/{credential_id}',
        parameters: [credentialId],
        body,
        check: body.secret_access_key
          ? 'see with objectCredentials.list which secret_version the credential has before you rotate again.'
          : undefined,
      },
      options,
    );
  }
}
