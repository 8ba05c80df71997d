import { presenter } from '../../platform/operation/presenter.js';
import { callbackSubscriptions } from './callback-subscriptions.table.js';

export const presentCallbackSubscription = presenter(callbackSubscriptions, 'tenantId');
