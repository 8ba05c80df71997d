import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { AuditEvent, AuditEventListQuery } from '../types.js';

/** The log of who changed what in a tenant, and who was refused. */
export class AuditEvents {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Lists the entries, newest first: DONE for a change, DENIED for one that was refused with FORBIDDEN, in the log of the
   * caller's tenant. `occurred_after` is inclusive, `occurred_before` exclusive; both are RFC 3339 with seconds and `Z` or
   * an offset.
   *
   * Retried. Scope platform:audit:read. Errors: VALIDATION_FAILED, INVALID_CURSOR, NOT_FOUND (the tenant).
   */
  list(tenantId: string, query?: AuditEventListQuery, options?: RequestOptions): PagePromise<AuditEvent> {
    return this.#sender.list(
      {
        name: 'auditEvents.list',
        path: '/api/v1/platform/tenants/{tenant_id}/audit-events',
        parameters: [tenantId],
        query,
      },
      options,
    );
  }
}
