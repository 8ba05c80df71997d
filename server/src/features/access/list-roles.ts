import { builtInRoles, type contract, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { ApiError } from '../../platform/http/api-error.js';
import { pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';

const POSITION = /^[a-z0-9_-]{1,63}$/;

export const listRoles: Handler<typeof contract.roles.list> = async (
  { query: { limit, cursor, ...filters } },
  call,
) => {
  const list = { call, filters };
  const after = readCursor(list, cursor, POSITION);
  const roles = Object.entries(builtInRoles)
    .filter(([role]) => role !== 'platform_admin' || call.tenantId === PLATFORM_TENANT_ID)
    .map(([role, scopes]) => ({ role, scopes: [...scopes], built_in: true, request_id: call.requestId }));
  const start = after === null ? 0 : roles.findIndex(({ role }) => role === after) + 1;
  if (after !== null && start === 0) throw new ApiError('INVALID_CURSOR');
  const page = pageOf(list, roles.slice(start, start + limit + 1), limit, ({ role }) => role);
  return {
    status: 200,
    body: { items: page.rows, next_cursor: page.nextCursor, request_id: call.requestId },
  };
};
