import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { RoleBinding, RoleBindingCreate, RoleBindingDeleted, RoleBindingListQuery } from '../types.js';

/** Role bindings: which credential has which role in a tenant. */
export class RoleBindings {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Binds a credential of the tenant to a role. The caller may grant any `open:*` scope, and those `platform:*` scopes
   * that it holds itself.
   *
   * Not idempotent: after an unknown outcome it is not repeated, but throws an `UnknownOutcomeError`.
   * Scope platform:access:create. Errors: ROLE_BINDING_ALREADY_EXISTS, CREDENTIAL_DELETED, NOT_FOUND, FORBIDDEN.
   */
  create(tenantId: string, body: RoleBindingCreate, options?: RequestOptions): ApiPromise<RoleBinding> {
    return this.#sender.call(
      {
        name: 'roleBindings.create',
        method: 'POST',
        path: '/api/v1/platform/tenants/{tenant_id}/role-bindings',
        parameters: [tenantId],
        body,
        check: 'see with roleBindings.list whether the binding exists before you create it again.',
      },
      options,
    );
  }

  /**
   * Lists the role bindings of the tenant, newest first, or those of one client_id.
   *
   * Retried. Scope platform:access:read. Errors: INVALID_CURSOR, NOT_FOUND (the tenant).
   */
  list(tenantId: string, query?: RoleBindingListQuery, options?: RequestOptions): PagePromise<RoleBinding> {
    return this.#sender.list(
      {
        name: 'roleBindings.list',
        path: '/api/v1/platform/tenants/{tenant_id}/role-bindings',
        parameters: [tenantId],
        query,
      },
      options,
    );
  }

  /**
   * Takes the role away from the credential, from its very next request on.
   *
   * Retried: a NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt already deleted the binding.
   * Scope platform:access:delete. Errors: NOT_FOUND, LAST_PLATFORM_ADMINISTRATOR.
   */
  delete(tenantId: string, clientId: string, role: string, options?: RequestOptions): ApiPromise<RoleBindingDeleted> {
    return this.#sender.call(
      {
        name: 'roleBindings.delete',
        method: 'DELETE',
        path: '/api/v1/platform/tenants/{tenant_id}/role-bindings/{client_id}/{role}',
        parameters: [tenantId, clientId, role],
      },
      options,
    );
  }
}
