import type { contract } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import { all } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const listObjectResources =
  (database: Database): Handler<typeof contract.objectResources.list> =>
  ({ query }, call) =>
    newestFirst(database, call, query, {
      table: objectResources,
      order: ['resourceId'],
      filters: all([query.credential_id && eq(objectResources.credentialId, query.credential_id)]),
      present: presentObjectResource,
    });
