import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { and, asc, eq, inArray } from 'drizzle-orm';
import { tenants } from '../../foundation/tables.js';
import type { Handler } from '../../gateway/operation/call.js';
import { commandTypes, vendors } from '../../pipeline/tables.js';

export const getCatalog: Handler<'catalog.get'> = async (_request, call) => {
  const { rows, readers } = await call.asTenant(async (tx) => {
    // The adapters of tenant `platform` read for every tenant.
    const both = [call.tenantId, PLATFORM_TENANT_ID];
    const readers = await tx.select().from(tenants).where(inArray(tenants.tenantId, both));
    const limit = readers.find(({ tenantId }) => tenantId === call.tenantId)?.vendors ?? null;
    const rows = await tx
      .select({
        vendor: vendors.vendor,
        command_type: commandTypes.commandType,
        description: commandTypes.description,
        payload_schema: commandTypes.payloadSchema,
      })
      .from(vendors)
      .leftJoin(commandTypes, and(eq(commandTypes.vendor, vendors.vendor), eq(commandTypes.enabled, true)))
      .where(and(eq(vendors.enabled, true), limit === null ? undefined : inArray(vendors.vendor, limit)))
      .orderBy(asc(vendors.vendor), asc(commandTypes.commandType));
    return { rows, readers };
  });
  const lastReadOf = (vendor: string) => {
    const times = readers.flatMap(({ adapterReads }) => Date.parse(adapterReads?.[vendor] ?? '') || []);
    return times.length > 0 ? new Date(Math.max(...times)).toISOString() : null;
  };
  const typesOf = new Map(rows.map(({ vendor }) => [vendor, [] as EnabledType[]]));
  for (const { vendor, ...type } of rows) if (isEnabledType(type)) typesOf.get(vendor)?.push(type);
  return {
    status: 200,
    body: {
      vendors: [...typesOf].map(([vendor, types]) => ({
        vendor,
        last_read_at: lastReadOf(vendor),
        command_types: types,
      })),
      request_id: call.requestId,
    },
  };
};

type EnabledType = { command_type: string; description: string; payload_schema: Record<string, unknown> };

/** The left join returns a vendor without enabled types as one row of nulls. */
const isEnabledType = (type: { command_type: string | null }): type is EnabledType => type.command_type !== null;
