import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Handler } from '../../platform/operation/handler.js';
import { commandTypes } from '../command-types/command-types.table.js';
import { vendorsOf } from '../vendors/refuse-unknown-vendors.js';
import { vendors } from '../vendors/vendors.table.js';

export const getCatalog: Handler<'catalog.get'> = async (_request, call) => {
  const rows = await call.asTenant(async (tx) => {
    const limit = await vendorsOf(tx, call.tenantId);
    return tx
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
  });
  const typesOf = new Map(rows.map(({ vendor }) => [vendor, [] as EnabledType[]]));
  for (const { vendor, ...type } of rows) if (isEnabledType(type)) typesOf.get(vendor)?.push(type);
  return {
    status: 200,
    body: {
      vendors: [...typesOf].map(([vendor, types]) => ({ vendor, command_types: types })),
      request_id: call.requestId,
    },
  };
};

type EnabledType = { command_type: string; description: string; payload_schema: Record<string, unknown> };

/** The left join returns a vendor without enabled types as one row of nulls. */
const isEnabledType = (type: { command_type: string | null }): type is EnabledType => type.command_type !== null;
