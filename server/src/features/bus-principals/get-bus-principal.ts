import { getHandler } from '../../platform/operation/resource-handlers.js';
import { busPrincipals } from './bus-principals.table.js';
import { presentBusPrincipal } from './present-bus-principal.js';

export const getBusPrincipal = getHandler(busPrincipals, presentBusPrincipal);
