import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { Policy, PolicyCreate, PolicyDeleted, PolicyListQuery } from '../types.js';

/** Direct policies: a scope that a credential holds without a role. */
export class Policies {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Grants a credential of the tenant one scope, without a role. The caller may grant any `open:*` scope, and those
   * `platform:*` scopes that it holds itself.
   *
   * Not idempotent: after an unknown outcome it is not repeated, but throws an `UnknownOutcomeError`.
   * Scope platform:access:create. Errors: POLICY_ALREADY_EXISTS, SCOPE_UNKNOWN, CREDENTIAL_DELETED, NOT_FOUND, FORBIDDEN.
   */
  create(tenantId: string, body: PolicyCreate, options?: RequestOptions): ApiPromise<Policy> {
    return this.#sender.call(
      {
        name: 'policies.create',
        method: 'POST',
        path: '/api/v1/platform/tenants/{tenant_id}/policies',
        parameters: [tenantId],
        body,
        check: 'see with policies.list whether the policy exists before you create it again.',
      },
      options,
    );
  }

  /**
   * Lists the scopes that credentials of the tenant hold directly, newest first, or those of one client_id. What a role
   * grants is in `roles.list`.
   *
   * Retried. Scope platform:access:read. Errors: INVALID_CURSOR, NOT_FOUND (the tenant).
   */
  list(tenantId: string, query?: PolicyListQuery, options?: RequestOptions): PagePromise<Policy> {
    return this.#sender.list(
      {
        name: 'policies.list',
        path: '/api/v1/platform/tenants/{tenant_id}/policies',
        parameters: [tenantId],
        query,
      },
      options,
    );
  }

  /**
   * Takes the scope away from the credential, from its very next request on.
   *
   * Retried: a NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt already deleted the policy.
   * Scope platform:access:delete. Errors: NOT_FOUND; FORBIDDEN for a `platform:*` scope that the caller lacks.
   */
  delete(tenantId: string, policyId: string, options?: RequestOptions): ApiPromise<PolicyDeleted> {
    return this.#sender.call(
      {
        name: 'policies.delete',
        method: 'DELETE',
        path: '/api/v1/platform/tenants/{tenant_id}/policies/{policy_id}',
        parameters: [tenantId, policyId],
      },
      options,
    );
  }
}
