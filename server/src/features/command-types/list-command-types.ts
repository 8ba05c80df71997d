import { eq } from 'drizzle-orm';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { readRow } from '../../platform/operation/rows.js';
import { vendors } from '../vendors/vendors.table.js';
import { commandTypes } from './command-types.table.js';
import { presentCommandType } from './present-command-type.js';

export const listCommandTypes: Handler<'commandTypes.list'> = async ({ params: { vendor }, query }, call) => {
  const known = eq(vendors.vendor, vendor);
  await call.asTenant((tx) => readRow(tx, call, vendors, known));
  const filtered = { ...query, vendor };
  return newestFirst(call, filtered, {
    table: commandTypes,
    order: ['createdAt', 'commandType'],
    ofPlatform: true,
    range: eq(commandTypes.vendor, vendor),
    json: ['payload_schema'],
    present: presentCommandType,
  });
};
