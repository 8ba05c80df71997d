import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import { presenter } from '../../platform/operation/presenter.js';

export const presentRoleBinding = presenter(roleBindings, 'tenantId');
