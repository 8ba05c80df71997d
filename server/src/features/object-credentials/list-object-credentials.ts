import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { objectCredentials } from './object-credentials.table.js';
import { presentObjectCredential } from './present-object-credential.js';

export const listObjectCredentials =
  (database: Database): Handler<typeof contract.objectCredentials.list> =>
  ({ query }, call) =>
    newestFirst(database, call, query, {
      table: objectCredentials,
      order: ['credentialId'],
      present: presentObjectCredential,
    });
