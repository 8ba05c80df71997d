import type { TenantExportType } from '@tenant-open-platform/contract';
import { asc, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { invalidCursor } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { fittingRows, listed } from '../../foundation/database/pages.js';
import { ID } from '../../foundation/ids.js';
import type { Handler } from '../../gateway/operation/call.js';
import { answerPage, readCursor } from '../lists.js';
import { inJson, keyColumns } from '../rows.js';
import { exportedTables, isInTenantAfter } from './tenant-tables.js';
import { presentTenant, readDisabled } from './tenants.js';

/** The place of the table in the export, and the key of the last row of the page. */
const POSITION = /^([0-9]{1,2})((?: [A-Za-z0-9._~-]{1,128})*)$/;

type Row = { type: (typeof TenantExportType)['options'][number]; data: Record<string, unknown>; position: string };

export const exportTenant: Handler<'tenants.export'> = async ({ query: { limit, cursor } }, call) => {
  const list = { call, filters: {} };
  const position = readCursor(list, cursor, POSITION);
  return call.asTenant(async (tx) => {
    // The lock makes tenants.delete wait: no page lacks rows that are deleted meanwhile.
    const tenant = await readDisabled(tx, call, 'key share');
    const { request_id: _, deletion: __, ...data } = presentTenant(tenant, call);
    const first: Row[] = position === null ? [{ type: 'tenant', data, position: '0' }] : [];
    const found = { ...(await readOn(tx, call.tenantId, { first, position: position ?? '0', limit })), limit };
    return answerPage(
      list,
      found,
      (row) => row.position,
      ({ type, data }) => ({ type, data }),
    );
  });
};

type Start = { first: Row[]; position: string; limit: number };

/** Up to `limit + 1` rows. `lastRead` is the position of a page that ends earlier because it is large. */
async function readOn(tx: Transaction, tenantId: string, { first, position, limit }: Start) {
  const [start = '', ...key] = position.split(' ');
  const rows = [...first];
  for (let number = Number(start); number < exportedTables.length && rows.length <= limit; number++) {
    const after = number === Number(start) && key.length > 0 ? key : null;
    const found = await readTable(tx, tenantId, { number, after, limit: limit - rows.length });
    rows.push(...found.rows);
    if (found.isLarge) return { rows, lastRead: rows.at(-1)?.position ?? null };
  }
  return { rows, lastRead: null };
}

type Place = { number: number; after: string[] | null; limit: number };

/** Up to `limit + 1` rows, or fewer if they are large. */
async function readTable(tx: Transaction, tenantId: string, { number, after, limit }: Place) {
  const exported = exportedTables[number];
  if (!exported) throw invalidCursor();
  const { type, table, columns } = exported;
  const key = keyColumns(table);
  if (after !== null && !isKey(key, after)) throw invalidCursor();
  const selected = Object.fromEntries(columns.map((column) => [column.name, column]));
  const read = (count: number) =>
    tx
      .select(selected)
      .from(table)
      .where(isInTenantAfter(table, tenantId, after))
      .orderBy(...key.map((column) => asc(column)))
      .limit(count);
  const orderBy = listed(key.map(({ name }) => sql.identifier(name)));
  const found =
    limit === 0
      ? { rows: await read(1), limit }
      : await fittingRows(tx, { first: read, limit, bytes: sql`octet_length(page::text)`, orderBy });
  const isLarge = found.limit < limit && found.rows.length > found.limit;
  const rows = found.rows.slice(0, isLarge ? found.limit : limit + 1).map((row): Row => {
    const data = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, inJson(value)]));
    return { type, data, position: [number, ...key.map(({ name }) => data[name])].join(' ') };
  });
  return { rows, isLarge };
}

function isKey(key: PgColumn[], values: string[]): boolean {
  const patterns: Record<string, RegExp> = { uuid: ID, bigint: /^[0-9]{1,18}$/, text: /./ };
  const fits = (column: PgColumn, at: number) => patterns[column.getSQLType()]?.test(values[at] ?? '');
  return key.length === values.length && key.every(fits);
}
