import type { contract } from '@tenant-open-platform/contract';
import { inArray } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentCredential } from './present-credential.js';

export const listCredentials =
  (database: Database, basePath: string): Handler<typeof contract.credentials.list> =>
  async ({ query }, call) => {
    const { body } = await newestFirst(database, call, query, {
      table: credentials,
      order: ['createdAt', 'clientId'],
      filters: query.status && inArray(credentials.status, query.status),
      present: (row) => presentCredential(row, call),
    });
    const { items, next_cursor: nextCursor } = body;
    const status = query.status ? `&status=${query.status.join()}` : '';
    const next = `${basePath}/api/v1/platform/tenants/${call.tenantId}/credentials?limit=${query.limit}${status}&cursor=${nextCursor}`;
    return {
      status: 200,
      body: items,
      ...(nextCursor && { headers: { Link: `<${next}>; rel="next"`, 'X-Next-Cursor': nextCursor } }),
    };
  };
