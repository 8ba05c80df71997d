import { contract, type TenantExportType } from '@tenant-open-platform/contract';
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import { listed } from '../../foundation/database/pages.js';
import { busPrincipals, credentials, policies, roleBindings, roles } from '../../foundation/tables.js';
import { auditBytes, auditEvents, idempotentAnswers } from '../../gateway/tables.js';
import {
  commandFigures,
  commands,
  deviceRequests,
  eventLogOrigins,
  events,
  outbox,
  parkedMessages,
} from '../../pipeline/tables.js';
import { keyColumns, type TenantTable } from '../rows.js';
import {
  callbackEndpoints,
  callbackSubscriptions,
  objectCredentials,
  objectGrants,
  objectResources,
} from '../tables.js';

type ExportedTable = { type: z.infer<typeof TenantExportType>; table: TenantTable; columns: readonly PgColumn[] };

/**
 * In the order of the export: a row comes after the rows that it refers to. A column that is neither listed nor in the
 * answer of the contract is not exported: secrets, hashes, and the numbers of the whole platform never are.
 */
// biome-ignore format: a line for each column would hide the list of tables.
export const exportedTables: readonly ExportedTable[] = [
  exported('role', roles, ['tenantId', 'role', 'createdAt', 'updatedAt']),
  exported('credential', credentials, contract.credentials.get.responses[200]),
  exported('role_binding', roleBindings, contract.roleBindings.create.responses[201]),
  exported('policy', policies, ['tenantId', 'policyId', 'clientId', 'role', 'object', 'action', 'createdAt']),
  exported('bus_principal', busPrincipals, contract.busPrincipals.get.responses[200]),
  exported('callback_endpoint', callbackEndpoints, contract.callbackEndpoints.get.responses[200]),
  exported('callback_subscription', callbackSubscriptions, contract.callbackSubscriptions.create.responses[201]),
  exported('object_credential', objectCredentials, contract.objectCredentials.get.responses[200]),
  exported('object_resource', objectResources, contract.objectResources.get.responses[200]),
  exported('object_grant', objectGrants, [
    'tenantId', 'presignId', 'resourceId', 'operation', 'key', 'contentType', 'contentLength', 'clientId',
    'requestId', 'grantedAt', 'expiresAt'
  ]),
  exported('command', commands, contract.commands.get.responses[200]),
  exported('event', events, ['tenantId', 'commandId', 'eventType', 'eventId', 'loggedAt']),
  exported('device_request', deviceRequests, [
    'tenantId', 'deviceRequestId', 'vendor', 'deviceId', 'requestType', 'payload', 'dedupeId', 'status',
    'receivedAt', 'expiresAt', 'replyOutcome', 'replyPayload', 'replyError', 'repliedAt', 'repliedByClientId'
  ]),
  exported('parked_message', parkedMessages, [
    'tenantId', 'parkedMessageId', 'parkedAt', 'subject', 'reason', 'details', 'body', 'isWhole'
  ]),
  exported('audit_event', auditEvents, contract.auditEvents.list.responses[200].shape.items.element),
];

/**
 * Every table with rows of tenants, except the tenants themselves and the names that stay taken. A row comes before the
 * rows that it refers to, and the audit log is last: a deletion empties the tables in this order.
 */
export const tenantTables: readonly TenantTable[] = [
  outbox,
  eventLogOrigins,
  idempotentAnswers,
  auditBytes,
  commandFigures,
  ...exportedTables
    .map(({ table }) => table)
    .filter((table) => table !== auditEvents)
    .reverse(),
  auditEvents,
];

/** Exports the columns in this list, or the tenant and the fields of this answer. */
export function exported<Table extends TenantTable>(
  type: ExportedTable['type'],
  table: Table,
  shown: readonly (keyof Table['_']['columns'] & string)[] | { shape: object },
): ExportedTable {
  const isShown = ([key, { name }]: [string, PgColumn]) =>
    'shape' in shown ? key === 'tenantId' || Object.hasOwn(shown.shape, name) : shown.includes(key);
  const columns = Object.entries(getTableColumns(table as PgTable)).filter(isShown);
  return { type, table, columns: columns.map(([, column]) => column) };
}

export const isInTenantAfter = (table: TenantTable, tenantId: string, after: string[] | null) =>
  after === null
    ? sql`${table.tenantId} = ${tenantId}`
    : sql`${table.tenantId} = ${tenantId} and (${listed(keyColumns(table))}) > (${valuesOf(table, after)})`;

export const valuesOf = (table: PgTable, key: readonly string[]): SQL =>
  listed(keyColumns(table).map((column, index) => sql`${key[index]}::text::${sql.raw(column.getSQLType())}`));
