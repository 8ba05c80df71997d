import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import { answerPage } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentVendor } from './present-vendor.js';
import { vendors } from './vendors.table.js';

export const listVendors =
  (database: Database): Handler<typeof contract.vendors.list> =>
  async ({ query }, call) => {
    const page = await newestFirst(database, call, query, {
      table: vendors,
      order: ['createdAt', 'vendor'],
      ofPlatform: true,
    });
    return answerPage(page, call, presentVendor);
  };
