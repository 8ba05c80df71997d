import { z } from 'zod';
import { operations } from './operation.js';
import { ClientId, InputTimestamp, page, pageQuery, RequestId, TenantId, Timestamp } from './primitives.js';

const OperationName = z
  .string()
  .regex(/^[A-Za-z]{1,64}\.[A-Za-z]{1,64}$/, 'must be the name of an operation, such as credentials.update')
  .describe('The operation by its name, for example `credentials.update`.');

export const AuditOutcome = z.enum(['DONE', 'DENIED']).meta({
  id: 'AuditOutcome',
  description: 'DONE: the change was made. DENIED: it was refused with FORBIDDEN, and nothing changed.',
});

const values = z.record(z.string(), z.unknown()).nullable();

const AuditEvent = z
  .object({
    audit_event_id: z.uuid().describe('The entry: a UUID version 7.'),
    occurred_at: Timestamp.describe('When the change was made or refused.'),
    tenant_id: TenantId.describe(
      'The tenant in whose log this is: the one that was changed; `platform` for the catalog and new tenants. What was denied is in the log of the caller.',
    ),
    client_id: ClientId.describe('Who asked for the change. A platform administrator may act on any tenant.'),
    operation: OperationName,
    target: z
      .string()
      .describe(
        'What was to be changed: its path below /api/v1/, for example `platform/tenants/acme/credentials/acme-backend`.',
      ),
    changes: z.array(z.string()).describe('The names of the fields that the request set.'),
    before: values.describe(
      'The values that changed, by field, as they were before; null for a creation and for what was denied. A value above 2 KiB is replaced by its `bytes` and the `sha256` of its canonical JSON (RFC 8785).',
    ),
    after: values.describe(
      'The same fields after the change; null for a deletion and for what was denied. Of a secret only that it was `set`, `rotated` or `removed`. A role binding also says the `scopes` that the role granted at that time.',
    ),
    outcome: AuditOutcome,
    request_id: RequestId.describe('The correlation id of the request that asked for the change.'),
  })
  .meta({
    id: 'AuditEvent',
    example: {
      audit_event_id: '019bd3a4-5c4e-7e33-8c62-8b2c3d4e5f60',
      occurred_at: '2026-01-31T09:30:00.000Z',
      tenant_id: 'acme',
      client_id: 'acme-admin',
      operation: 'credentials.update',
      target: 'platform/tenants/acme/credentials/acme-backend',
      changes: ['status'],
      before: { status: 'ACTIVE' },
      after: { status: 'DISABLED' },
      outcome: 'DONE',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

export const auditEvents = operations({
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/audit-events',
    summary: 'List audit events',
    description:
      'Lists who changed what in the tenant, from which values to which, and who was refused, newest first. Entries are written together with the change and never altered.',
    metadata: {
      scope: 'platform:audit:read',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: z.object({ tenant_id: TenantId }),
    query: z.strictObject({
      ...pageQuery,
      client_id: ClientId.optional().describe('Only what this client asked for.'),
      operation: OperationName.optional().describe('Only this operation.'),
      outcome: AuditOutcome.optional().describe('Only this outcome.'),
      occurred_after: InputTimestamp.optional().describe('Only at or after this instant.'),
      occurred_before: InputTimestamp.optional().describe('Only before this instant.'),
    }),
    responses: { 200: page('AuditEventPage', AuditEvent) },
  },
});
