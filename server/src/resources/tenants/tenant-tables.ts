import type { TenantExportType } from '@tenant-open-platform/contract';
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
 * In the order of the export: a row comes after the rows that it refers to. Every column is exported, except secrets,
 * hashes, and the numbers of the whole platform.
 */
export const exportedTables: readonly ExportedTable[] = [
  exported('role', roles),
  exported('credential', credentials, ['number', 'secretSealed', 'previousSecretSealed']),
  exported('role_binding', roleBindings),
  exported('policy', policies),
  exported('bus_principal', busPrincipals),
  exported('callback_endpoint', callbackEndpoints, ['secretSealed', 'previousSecretSealed']),
  exported('callback_subscription', callbackSubscriptions),
  exported('object_credential', objectCredentials, ['secretAccessKeySealed', 'sessionTokenSealed']),
  exported('object_resource', objectResources),
  exported('object_grant', objectGrants),
  exported('command', commands, ['payloadSha256', 'traceparent']),
  exported('event', events, ['seq']),
  exported('device_request', deviceRequests, ['replySha256']),
  exported('parked_message', parkedMessages),
  exported('audit_event', auditEvents),
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

function exported<Table extends TenantTable>(
  type: ExportedTable['type'],
  table: Table,
  leftOut: (keyof Table['_']['columns'])[] = [],
): ExportedTable {
  const columns = Object.entries<PgColumn>(getTableColumns(table)).filter(([name]) => !leftOut.includes(name));
  return { type, table, columns: columns.map(([, column]) => column) };
}

export const isInTenantAfter = (table: TenantTable, tenantId: string, after: string[] | null) =>
  after === null
    ? sql`${table.tenantId} = ${tenantId}`
    : sql`${table.tenantId} = ${tenantId} and (${listed(keyColumns(table))}) > (${valuesOf(table, after)})`;

export const valuesOf = (table: PgTable, key: readonly string[]): SQL =>
  listed(keyColumns(table).map((column, index) => sql`${key[index]}::text::${sql.raw(column.getSQLType())}`));
