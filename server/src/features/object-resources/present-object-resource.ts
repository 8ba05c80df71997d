import { presenter } from '../../platform/operation/presenter.js';
import { objectResources } from './object-resources.table.js';

export const presentObjectResource = presenter(objectResources, 'tenantId');
