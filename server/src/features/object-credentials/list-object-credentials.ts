import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import { answerPage } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { objectCredentials } from './object-credentials.table.js';
import { presentObjectCredential } from './present-object-credential.js';

export const listObjectCredentials =
  (database: Database): Handler<typeof contract.objectCredentials.list> =>
  async ({ query }, call) => {
    const page = await newestFirst(database, call, query, { table: objectCredentials, order: ['credentialId'] });
    return answerPage(page, call, presentObjectCredential);
  };
