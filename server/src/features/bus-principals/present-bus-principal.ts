import { presenter } from '../../platform/operation/presenter.js';
import { busPrincipals } from './bus-principals.table.js';

export const presentBusPrincipal = presenter(busPrincipals);
