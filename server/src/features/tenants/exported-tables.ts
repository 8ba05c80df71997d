import type { TenantExportType } from '@tenant-open-platform/contract';
import { getTableColumns } from 'drizzle-orm';
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

type TenantTable = PgTable & { tenantId: PgColumn };
type ExportedTable = { type: z.infer<typeof TenantExportType>; table: TenantTable; columns: readonly PgColumn[] };

/** In the order of the export. Every column is exported, except secrets, hashes and the number that only nonces use. */
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
  exported('command', commands, ['payloadSha256']),
  exported('event', events),
  exported('device_request', deviceRequests, ['replySha256']),
  exported('parked_message', parkedMessages),
  exported('audit_event', auditEvents),
];

function exported<Table extends TenantTable>(
  type: ExportedTable['type'],
  table: Table,
  leftOut: (keyof Table['_']['columns'])[] = [],
): ExportedTable {
  const columns = Object.entries<PgColumn>(getTableColumns(table)).filter(([name]) => !leftOut.includes(name));
  return { type, table, columns: columns.map(([, column]) => column) };
}
