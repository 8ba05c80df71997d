import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type {
  Credential,
  CredentialCreate,
  CredentialListQuery,
  CredentialUpdate,
  CredentialUpdated,
  CredentialWithSecret,
} from '../types.js';

const SECRET_LOST =
  'see with credentials.get whether the credential exists and which secret_version it has. If the request did take effect, its secret is lost: rotate again.';

/** Credentials of a tenant: who may sign requests. For administrators of the platform and of the tenant. */
export class Credentials {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Creates a credential and returns its secret, this once. With `rotate_secret: true` and a client_id that exists in the
   * tenant it makes a new secret instead and changes nothing else.
   *
   * Not idempotent: after an unknown outcome it is not repeated, but throws an `UnknownOutcomeError`.
   * Scope platform:credential:create. Errors: CREDENTIAL_ALREADY_EXISTS, CREDENTIAL_DELETED, NOT_FOUND (the tenant).
   */
  create(tenantId: string, body: CredentialCreate, options?: RequestOptions): ApiPromise<CredentialWithSecret> {
    return this.#sender.call(
      {
        name: 'credentials.create',
        method: 'POST',
        path: '/api/v1/platform/tenants/{tenant_id}/credentials',
        parameters: [tenantId],
        body,
        check: SECRET_LOST,
      },
      options,
    );
  }

  /**
   * Lists the credentials of the tenant, newest first, never their secrets. `limit` is the size of a page: 1 to 500, 100
   * by default.
   *
   * Retried. Scope platform:credential:read. Errors: INVALID_CURSOR, NOT_FOUND (the tenant).
   */
  list(tenantId: string, query?: CredentialListQuery, options?: RequestOptions): PagePromise<Credential> {
    return this.#sender.list(
      {
        name: 'credentials.list',
        path: '/api/v1/platform/tenants/{tenant_id}/credentials',
        parameters: [tenantId],
        query,
      },
      options,
    );
  }

  /**
   * Reads one credential, never its secret.
   *
   * Retried. Scope platform:credential:read. Errors: NOT_FOUND.
   */
  get(tenantId: string, clientId: string, options?: RequestOptions): ApiPromise<Credential> {
    return this.#sender.call(
      {
        name: 'credentials.get',
        path: '/api/v1/platform/tenants/{tenant_id}/credentials/{client_id}',
        parameters: [tenantId, clientId],
      },
      options,
    );
  }

  /**
   * Changes the fields that the body names and leaves the others, from the very next request on. `rotate_secret: true`
   * returns a new secret, this once; the old one dies now, or after `previous_secret_ttl_seconds` (0 to 604,800).
   *
   * Idempotent and retried without rotate_secret; with it, an unknown outcome is an `UnknownOutcomeError`.
   * Scope platform:credential:update. Errors: NOT_FOUND, CREDENTIAL_DELETED, LAST_PLATFORM_ADMINISTRATOR.
   */
  update(
    tenantId: string,
    clientId: string,
    body: CredentialUpdate,
    options?: RequestOptions,
  ): ApiPromise<CredentialUpdated> {
    return this.#sender.call(
      {
        name: 'credentials.update',
        method: 'PUT',
        path: '/api/v1/platform/tenants/{tenant_id}/credentials/{client_id}',
        parameters: [tenantId, clientId],
        body,
        check: body.rotate_secret ? SECRET_LOST : undefined,
      },
      options,
    );
  }
}
