import type { TenantExportType } from '@tenant-open-platform/contract';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import { auditEvents } from '../../platform/audit/audit-events.table.js';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import { policies } from '../../platform/identity/policies.table.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import { roles } from '../../platform/identity/roles.table.js';
import { events } from '../../platform/outbox/events.table.js';
import { busPrincipals } from '../bus-principals/bus-principals.table.js';
import { callbackEndpoints } from '../callback-endpoints/callback-endpoints.table.js';
import { callbackSubscriptions } from '../callback-subscriptions/callback-subscriptions.table.js';
import { commands } from '../commands/commands.table.js';
import { deviceRequests } from '../device-requests/device-requests.table.js';
import { objectCredentials } from '../object-credentials/object-credentials.table.js';
import { objectResources } from '../object-resources/object-resources.table.js';
import { objectGrants } from '../objects/object-grants.table.js';

type ExportedTable = {
  type: z.infer<typeof TenantExportType>;
  table: PgTable & { tenantId: PgColumn };
  columns: readonly PgColumn[];
};

/** In the order of the export. A new column is exported once it is named here. */
export const exportedTables: readonly ExportedTable[] = [
  { type: 'role', table: roles, columns: [roles.role, roles.createdAt, roles.updatedAt] },
  {
    type: 'credential',
    table: credentials,
    columns: [
      credentials.clientId,
      credentials.name,
      credentials.status,
      credentials.allowedClockSkewSeconds,
      credentials.replayWindowSeconds,
      credentials.secretVersion,
      credentials.previousSecretExpiresAt,
      credentials.lastUsedAt,
      credentials.secretLastUsedAt,
      credentials.previousSecretLastUsedAt,
      credentials.expiresAt,
      credentials.createdAt,
      credentials.updatedAt,
    ],
  },
  {
    type: 'role_binding',
    table: roleBindings,
    columns: [roleBindings.clientId, roleBindings.role, roleBindings.createdAt],
  },
  {
    type: 'policy',
    table: policies,
    columns: [
      policies.policyId,
      policies.clientId,
      policies.role,
      policies.object,
      policies.action,
      policies.createdAt,
    ],
  },
  {
    type: 'bus_principal',
    table: busPrincipals,
    columns: [
      busPrincipals.principalId,
      busPrincipals.busUser,
      busPrincipals.busAccountPublicKey,
      busPrincipals.busUserPublicKey,
      busPrincipals.principalType,
      busPrincipals.clientId,
      busPrincipals.serviceName,
      busPrincipals.vendors,
      busPrincipals.status,
      busPrincipals.expiresAt,
      busPrincipals.createdAt,
      busPrincipals.updatedAt,
    ],
  },
  {
    type: 'callback_endpoint',
    table: callbackEndpoints,
    columns: [
      callbackEndpoints.endpointId,
      callbackEndpoints.name,
      callbackEndpoints.url,
      callbackEndpoints.status,
      callbackEndpoints.timeoutSeconds,
      callbackEndpoints.maxAttempts,
      callbackEndpoints.secretVersion,
      callbackEndpoints.previousSecretExpiresAt,
      callbackEndpoints.createdAt,
      callbackEndpoints.updatedAt,
    ],
  },
  {
    type: 'callback_subscription',
    table: callbackSubscriptions,
    columns: [
      callbackSubscriptions.endpointId,
      callbackSubscriptions.subscriptionId,
      callbackSubscriptions.eventType,
      callbackSubscriptions.status,
      callbackSubscriptions.createdAt,
    ],
  },
  {
    type: 'object_credential',
    table: objectCredentials,
    columns: [
      objectCredentials.credentialId,
      objectCredentials.name,
      objectCredentials.provider,
      objectCredentials.endpoint,
      objectCredentials.region,
      objectCredentials.forcePathStyle,
      objectCredentials.accessKeyId,
      objectCredentials.secretVersion,
      objectCredentials.status,
      objectCredentials.createdAt,
      objectCredentials.updatedAt,
    ],
  },
  {
    type: 'object_resource',
    table: objectResources,
    columns: [
      objectResources.resourceId,
      objectResources.name,
      objectResources.credentialId,
      objectResources.bucket,
      objectResources.allowedOperations,
      objectResources.keyPrefix,
      objectResources.allowedContentTypes,
      objectResources.maxObjectBytes,
      objectResources.maxExpiresInSeconds,
      objectResources.status,
      objectResources.createdAt,
      objectResources.updatedAt,
    ],
  },
  {
    type: 'object_grant',
    table: objectGrants,
    columns: [
      objectGrants.presignId,
      objectGrants.resourceId,
      objectGrants.operation,
      objectGrants.key,
      objectGrants.contentType,
      objectGrants.contentLength,
      objectGrants.clientId,
      objectGrants.requestId,
      objectGrants.grantedAt,
      objectGrants.expiresAt,
    ],
  },
  {
    type: 'command',
    table: commands,
    columns: [
      commands.commandId,
      commands.idempotencyKey,
      commands.vendor,
      commands.deviceId,
      commands.commandType,
      commands.payload,
      commands.timeoutSeconds,
      commands.status,
      commands.adapterStatus,
      commands.deviceExecutionStatus,
      commands.statusReason,
      commands.result,
      commands.lateResult,
      commands.history,
      commands.acceptedAt,
      commands.dispatchedAt,
      commands.deadlineAt,
      commands.completedAt,
      commands.updatedAt,
      commands.createdByClientId,
      commands.requestId,
    ],
  },
  {
    type: 'event',
    table: events,
    columns: [events.commandId, events.eventType, events.eventId, events.seq, events.loggedAt],
  },
  {
    type: 'device_request',
    table: deviceRequests,
    columns: [
      deviceRequests.deviceRequestId,
      deviceRequests.vendor,
      deviceRequests.deviceId,
      deviceRequests.requestType,
      deviceRequests.payload,
      deviceRequests.dedupeId,
      deviceRequests.status,
      deviceRequests.receivedAt,
      deviceRequests.expiresAt,
      deviceRequests.replyOutcome,
      deviceRequests.replyPayload,
      deviceRequests.replyError,
      deviceRequests.repliedAt,
      deviceRequests.repliedByClientId,
    ],
  },
  {
    type: 'parked_message',
    table: parkedMessages,
    columns: [
      parkedMessages.parkedMessageId,
      parkedMessages.parkedAt,
      parkedMessages.subject,
      parkedMessages.reason,
      parkedMessages.body,
      parkedMessages.isWhole,
    ],
  },
  {
    type: 'audit_event',
    table: auditEvents,
    columns: [
      auditEvents.auditEventId,
      auditEvents.occurredAt,
      auditEvents.clientId,
      auditEvents.operation,
      auditEvents.target,
      auditEvents.changes,
      auditEvents.before,
      auditEvents.after,
      auditEvents.outcome,
      auditEvents.requestId,
    ],
  },
];
