import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { Role, RoleListQuery } from '../types.js';

/** Roles: what a role binding grants. */
export class Roles {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Lists the roles that credentials of the tenant can be bound to, and what each grants.
   *
   * Retried. Scope platform:access:read. Errors: INVALID_CURSOR, NOT_FOUND (the tenant).
   */
  list(tenantId: string, query?: RoleListQuery, options?: RequestOptions): PagePromise<Role> {
    return this.#sender.list(
      {
        name: 'roles.list',
        method: 'GET',
        path: '/api/v1/platform/tenants/{tenant_id}/roles',
        parameters: { tenant_id: tenantId },
        query,
      },
      options,
    );
  }
}
