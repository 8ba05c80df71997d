import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { tenants } from '../../foundation/tables.js';
import { commandTypes, vendors } from '../../pipeline/tables.js';
import type { Handler } from '../handlers.js';

type EnabledType = { command_type: string; description: string; payload_schema: Record<string, unknown> };

const enabledTypes = sql<EnabledType[]>`coalesce(
  json_agg(json_build_object(
    'command_type', ${commandTypes.commandType}, 'description', ${commandTypes.description},
    'payload_schema', ${commandTypes.payloadSchema}
  ) order by ${commandTypes.commandType}) filter (where ${commandTypes.enabled}), '[]')`;

export const get: Handler<'catalog.get'> = async (_request, { tenantId, requestId, asTenant }) => {
  const { known, readers } = await asTenant(async (tx) => {
    // The adapters of tenant `platform` read for every tenant.
    const readers = await tx
      .select()
      .from(tenants)
      .where(inArray(tenants.tenantId, [tenantId, PLATFORM_TENANT_ID]));
    const limit = readers.find((reader) => reader.tenantId === tenantId)?.vendors ?? null;
    const known = await tx
      .select({ vendor: vendors.vendor, command_types: enabledTypes })
      .from(vendors)
      .leftJoin(commandTypes, eq(commandTypes.vendor, vendors.vendor))
      .where(and(eq(vendors.enabled, true), limit === null ? undefined : inArray(vendors.vendor, limit)))
      .groupBy(vendors.vendor)
      .orderBy(asc(vendors.vendor));
    return { known, readers };
  });
  const lastReadOf = (vendor: string) => {
    const times = readers.flatMap(({ adapterReads }) => Date.parse(adapterReads?.[vendor] ?? '') || []);
    return times.length > 0 ? new Date(Math.max(...times)).toISOString() : null;
  };
  const body = {
    vendors: known.map(({ vendor, command_types }) => ({ vendor, last_read_at: lastReadOf(vendor), command_types })),
    request_id: requestId,
  };
  return { status: 200, body };
};
