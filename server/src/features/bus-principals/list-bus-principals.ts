import { listHandler } from '../../platform/operation/resource-handlers.js';
import { busPrincipals } from './bus-principals.table.js';
import { presentBusPrincipal } from './present-bus-principal.js';

export const listBusPrincipals = listHandler({
  table: busPrincipals,
  order: ['principalId'],
  filteredBy: ['clientId', 'status'],
  present: presentBusPrincipal,
});
