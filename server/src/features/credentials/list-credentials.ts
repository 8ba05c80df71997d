import { credentials } from '../../platform/identity/credentials.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentCredential } from './present-credential.js';

export const listCredentials =
  (basePath: string): Handler<'credentials.list'> =>
  async ({ query }, call) => {
    const { body } = await newestFirst(call, query, {
      table: credentials,
      order: ['createdAt', 'clientId'],
      filteredBy: ['status'],
      present: presentCredential,
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
