import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentVendor } from './present-vendor.js';
import { vendors } from './vendors.table.js';

export const listVendors =
  (database: Database): Handler<typeof contract.vendors.list> =>
  ({ query }, call) =>
    newestFirst(database, call, query, {
      table: vendors,
      order: ['createdAt', 'vendor'],
      ofPlatform: true,
      present: presentVendor,
    });
