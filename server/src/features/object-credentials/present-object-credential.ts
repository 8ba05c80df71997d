import { presenter } from '../../platform/operation/presenter.js';
import { objectCredentials } from './object-credentials.table.js';

export const presentObjectCredential = presenter(objectCredentials, 'tenantId');
