import type { contract } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import { all } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { busPrincipals } from './bus-principals.table.js';
import { presentBusPrincipal } from './present-bus-principal.js';

export const listBusPrincipals =
  (database: Database): Handler<typeof contract.busPrincipals.list> =>
  ({ query }, call) =>
    newestFirst(database, call, query, {
      table: busPrincipals,
      order: ['principalId'],
      filters: all([
        query.client_id && eq(busPrincipals.clientId, query.client_id),
        query.status && eq(busPrincipals.status, query.status),
      ]),
      present: presentBusPrincipal,
    });
