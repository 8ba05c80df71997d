import { z } from 'zod';
import { operations } from './operation.js';
import { ClientId, InputTimestamp, page, pageQuery, RequestId, TenantId, Timestamp } from './primitives.js';
import { ScopeOfAnswer } from './roles.js';

export const OperationName = z
  .string()
  .regex(/^[A-Za-z]{1,64}\.[A-Za-z]{1,64}$/, 'must be an operation id, such as credentials.update')
  .describe('Operation id, for example `credentials.update`.');

export const AuditOutcome = z.enum(['DONE', 'DENIED']).meta({
  id: 'AuditOutcome',
  description: 'DONE: the change was made. DENIED: the request was refused with FORBIDDEN, and nothing changed.',
});

const SourceAddress = z
  .string()
  .regex(/^[0-9a-f.:]{2,45}$/, 'must be an IPv4 or IPv6 address in lower case, such as 192.0.2.1');

const values = z.record(z.string(), z.unknown()).nullable();

const AuditEvent = z
  .object({
    audit_event_id: z.uuid().describe('Id of the audit event: a UUID version 7.'),
    occurred_at: Timestamp.describe('When the change was made or refused.'),
    tenant_id: TenantId.describe(
      "Tenant whose log contains the audit event. A change is in the log of the changed tenant. A change to the catalog is in the log of the tenant `platform`. The creation of a tenant is there, too, and the steps of its move to another platform. A denied request is in the log of the caller's tenant.",
    ),
    client_id: ClientId.describe(
      'Credential that sent the request. It can belong to the tenant `platform`, whose administrators can change every tenant. `move-tenant` is the command of an operator that moves a tenant to another platform, and `platform` is an upgrade of the platform. A credential can have one of these names, but its requests have a source_address.',
    ),
    operation: OperationName,
    target: z
      .string()
      .describe(
        'Path of the resource without the leading /api/v1/, for example `platform/tenants/demo/credentials/demo`.',
      ),
    changes: z.array(z.string()).describe('Names of the fields in the request.'),
    before: values.describe(
      'Previous values of the changed fields; null if the operation created the resource or was denied. If a value is larger than 2 KiB, the audit event has an object instead. `bytes` is the size of the value, and `sha256` is the hash of its canonical JSON (RFC 8785).',
    ),
    after: values.describe(
      'New values of the changed fields; null if the operation deleted the resource or was denied. A secret appears only as `set`, `rotated` or `removed`. The audit event of a role binding also has the `scopes` that the role granted at that time.',
    ),
    hidden_without: ScopeOfAnswer.nullable().describe(
      'Scope that reads the changed resource, if you lack it: `before` and `after` are then null. An `open:*` scope shows only the resources of your own tenant. null: nothing is hidden.',
    ),
    outcome: AuditOutcome,
    request_id: RequestId.describe('Correlation id of the audited request.'),
    source_address: SourceAddress.nullable().describe(
      'IP address of the client that connected to the outermost trusted proxy, or to the platform if there is no proxy. null if the platform itself made the change.',
    ),
  })
  .meta({
    id: 'AuditEvent',
    example: {
      audit_event_id: '019bd3a4-5c4e-7e33-8c62-8b2c3d4e5f60',
      occurred_at: '2026-01-31T09:30:00.000Z',
      tenant_id: 'demo',
      client_id: 'platform-admin',
      operation: 'credentials.update',
      target: 'platform/tenants/demo/credentials/demo',
      changes: ['status'],
      before: { status: 'ACTIVE' },
      after: { status: 'DISABLED' },
      hidden_without: null,
      outcome: 'DONE',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
      source_address: '192.0.2.1',
    },
  });

export const auditEvents = operations({
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/audit-events',
    summary: 'List audit events',
    description:
      'Lists the audit events of the tenant, newest first: administrative changes to the tenant, and denied requests for changes. An audit event has the calling credential, its IP address, the operation, and the values before and after the change. You see the values only if you may read the resource. A change and its audit event are stored in one transaction. Audit events are immutable.',
    metadata: {
      scope: 'platform:audit:read',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: z.object({ tenant_id: TenantId }),
    query: z.strictObject({
      ...pageQuery,
      client_id: ClientId.optional().describe('Only audit events of requests that this credential sent.'),
      operation: OperationName.optional().describe('Only audit events of this operation.'),
      outcome: AuditOutcome.optional().describe('Only audit events with this outcome.'),
      target: z
        .string()
        .regex(/^[A-Za-z0-9._~/-]{1,1024}$/, 'must be a path below /api/v1/, such as platform/tenants/demo')
        .optional()
        .describe('Only audit events of this resource, for example `platform/tenants/demo/credentials/demo`.'),
      source_address: SourceAddress.optional().describe('Only audit events of requests from this IP address.'),
      occurred_after: InputTimestamp.optional().describe('Only audit events at or after this time.'),
      occurred_before: InputTimestamp.optional().describe('Only audit events before this time.'),
    }),
    responses: { 200: page('AuditEventPage', AuditEvent) },
  },
});
