import type { contract } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { vendors } from '../vendors/vendors.table.js';
import { commandTypes } from './command-types.table.js';
import { presentCommandType } from './present-command-type.js';

export const listCommandTypes =
  (database: Database): Handler<typeof contract.commandTypes.list> =>
  async ({ params: { vendor }, query }, call) => {
    const [known] = await asTenant(database, call.tenantId, (tx) =>
      tx.select().from(vendors).where(eq(vendors.vendor, vendor)),
    );
    if (!known) throw call.refuse('NOT_FOUND');
    const page = await newestFirst(
      database,
      call,
      { ...query, vendor },
      {
        table: commandTypes,
        order: ['createdAt', 'commandType'],
        ofPlatform: true,
        range: eq(commandTypes.vendor, vendor),
        json: ['payload_schema'],
      },
    );
    return answerPage(page, call, presentCommandType);
  };
