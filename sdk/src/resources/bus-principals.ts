import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { BusPrincipal, BusPrincipalCreate, BusPrincipalListQuery, BusPrincipalUpdate } from '../types.js';

/** Principals: the users of the messaging bus, known by their public nkeys. */
export class BusPrincipals {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Registers a user of the messaging bus by its public nkeys. Keep the private seeds, which begin with `S`, to yourself:
   * they are refused.
   *
   * Not idempotent: after an unknown outcome it is not repeated, but throws an `UnknownOutcomeError`.
   * Scope platform:bus-principal:create. Errors: BUS_PRINCIPAL_ALREADY_EXISTS, BUS_KEY_INVALID, BUS_SEED_NOT_ALLOWED,
   * CREDENTIAL_DELETED, NOT_FOUND (the tenant or the client_id).
   */
  create(tenantId: string, body: BusPrincipalCreate, options?: RequestOptions): ApiPromise<BusPrincipal> {
    return this.#sender.call(
      {
        name: 'busPrincipals.create',
        method: 'POST',
        path: '/api/v1/platform/tenants/{tenant_id}/bus/principals',
        parameters: [tenantId],
        body,
        check: 'see with busPrincipals.list whether the principal exists before you create it again.',
      },
      options,
    );
  }

  /**
   * Lists the principals of the tenant, newest first, or those of one client_id or status.
   *
   * Retried. Scope platform:bus-principal:read. Errors: INVALID_CURSOR, NOT_FOUND (the tenant).
   */
  list(tenantId: string, query?: BusPrincipalListQuery, options?: RequestOptions): PagePromise<BusPrincipal> {
    return this.#sender.list(
      {
        name: 'busPrincipals.list',
        path: '/api/v1/platform/tenants/{tenant_id}/bus/principals',
        parameters: [tenantId],
        query,
      },
      options,
    );
  }

  /**
   * Reads one principal.
   *
   * Retried. Scope platform:bus-principal:read. Errors: NOT_FOUND.
   */
  get(tenantId: string, principalId: string, options?: RequestOptions): ApiPromise<BusPrincipal> {
    return this.#sender.call(
      {
        name: 'busPrincipals.get',
        path: '/api/v1/platform/tenants/{tenant_id}/bus/principals/{principal_id}',
        parameters: [tenantId, principalId],
      },
      options,
    );
  }

  /**
   * Changes the fields that the body names and leaves the others. `status: 'DELETED'` is final, and the user key is
   * never free again.
   *
   * Idempotent, retried. Scope platform:bus-principal:update. Errors: NOT_FOUND, BUS_PRINCIPAL_DELETED.
   */
  update(
    tenantId: string,
    principalId: string,
    body: BusPrincipalUpdate,
    options?: RequestOptions,
  ): ApiPromise<BusPrincipal> {
    return this.#sender.call(
      {
        name: 'busPrincipals.update',
        method: 'PUT',
        path: '/api/v1/platform/tenants/{tenant_id}/bus/principals/{principal_id}',
        parameters: [tenantId, principalId],
        body,
      },
      options,
    );
  }
}
