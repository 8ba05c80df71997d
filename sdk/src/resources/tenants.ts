import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { Tenant, TenantCreate, TenantListQuery, TenantUpdate } from '../types.js';

/** Tenants, the boundaries of data isolation. For platform administrators; a tenant administrator reads its own. */
export class Tenants {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Creates a tenant. Its first credential is made with `credentials.create`.
   *
   * Not idempotent: after an unknown outcome it is not repeated, but throws an `UnknownOutcomeError`.
   * Scope platform:tenant:create, in tenant `platform`. Errors: TENANT_ALREADY_EXISTS, TENANT_ID_RESERVED.
   */
  create(body: TenantCreate, options?: RequestOptions): ApiPromise<Tenant> {
    return this.#sender.call(
      {
        name: 'tenants.create',
        method: 'POST',
        path: '/api/v1/platform/tenants',
        body,
        check: 'see with tenants.get whether the tenant exists before you create it again.',
      },
      options,
    );
  }

  /**
   * Lists all tenants, newest first. `limit` is the size of a page: 1 to 500, 100 by default.
   *
   * Retried. Scope platform:tenant:read, in tenant `platform`. Errors: INVALID_CURSOR.
   */
  list(query?: TenantListQuery, options?: RequestOptions): PagePromise<Tenant> {
    return this.#sender.list({ name: 'tenants.list', path: '/api/v1/platform/tenants', query }, options);
  }

  /**
   * Reads one tenant.
   *
   * Retried. Scope platform:tenant:read. Errors: NOT_FOUND; FORBIDDEN for another tenant than the caller's own.
   */
  get(tenantId: string, options?: RequestOptions): ApiPromise<Tenant> {
    return this.#sender.call(
      {
        name: 'tenants.get',
        path: '/api/v1/platform/tenants/{tenant_id}',
        parameters: [tenantId],
      },
      options,
    );
  }

  /**
   * Changes the fields that the body names and leaves the others. DISABLED refuses every request of the tenant's
   * credentials from the next one on.
   *
   * Idempotent, retried. Scope platform:tenant:update, in tenant `platform`. Errors: NOT_FOUND, TENANT_ID_RESERVED.
   */
  update(tenantId: string, body: TenantUpdate, options?: RequestOptions): ApiPromise<Tenant> {
    return this.#sender.call(
      {
        name: 'tenants.update',
        method: 'PUT',
        path: '/api/v1/platform/tenants/{tenant_id}',
        parameters: [tenantId],
        body,
      },
      options,
    );
  }
}
