import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { Role, RoleDeleted, RoleListQuery, RolePut } from '../types.js';

/** Roles: what a role binding grants. */
export class Roles {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Lists the roles that credentials of the tenant can be bound to, and what each grants: the built-in ones, then the
   * tenant's own by name.
   *
   * Retried. Scope platform:access:read. Errors: INVALID_CURSOR, NOT_FOUND (the tenant).
   */
  list(tenantId: string, query?: RoleListQuery, options?: RequestOptions): PagePromise<Role> {
    return this.#sender.list(
      {
        name: 'roles.list',
        path: '/api/v1/platform/tenants/{tenant_id}/roles',
        parameters: [tenantId],
        query,
      },
      options,
    );
  }

  /**
   * Makes a role of the tenant, or replaces what it grants, for every credential bound to it from its very next request
   * on. The caller may put any `open:*` scope into it, and those `platform:*` scopes that it holds itself.
   *
   * Idempotent, retried. Scope platform:access:update. Errors: ROLE_BUILT_IN, SCOPE_UNKNOWN, NOT_FOUND (the tenant),
   * FORBIDDEN.
   */
  put(tenantId: string, role: string, body: RolePut, options?: RequestOptions): ApiPromise<Role> {
    return this.#sender.call(
      {
        name: 'roles.put',
        method: 'PUT',
        path: '/api/v1/platform/tenants/{tenant_id}/roles/{role}',
        parameters: [tenantId, role],
        body,
      },
      options,
    );
  }

  /**
   * Removes a role of the tenant that no credential is bound to.
   *
   * Retried: a NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt already deleted the role.
   * Scope platform:access:delete. Errors: ROLE_BUILT_IN, ROLE_IN_USE, NOT_FOUND; FORBIDDEN where it grants a
   * `platform:*` scope that the caller lacks.
   */
  delete(tenantId: string, role: string, options?: RequestOptions): ApiPromise<RoleDeleted> {
    return this.#sender.call(
      {
        name: 'roles.delete',
        method: 'DELETE',
        path: '/api/v1/platform/tenants/{tenant_id}/roles/{role}',
        parameters: [tenantId, role],
      },
      options,
    );
  }
}
