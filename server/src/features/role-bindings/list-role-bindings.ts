import { eq } from 'drizzle-orm';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentRoleBinding } from './present-role-binding.js';

export const listRoleBindings: Handler<'roleBindings.list'> = ({ query }, call) =>
  newestFirst(call, query, {
    table: roleBindings,
    order: ['createdAt', 'clientId', 'role'],
    range: query.client_id === undefined ? undefined : eq(roleBindings.clientId, query.client_id),
    present: presentRoleBinding,
  });
