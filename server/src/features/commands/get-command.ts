import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { notFound } from '../../platform/http/api-error.js';
import type { Handler } from '../../platform/http/handler.js';
import { commands } from './commands.table.js';
import { presentCommand } from './present-command.js';

export const getCommand =
  (database: Database): Handler<typeof contract.commands.get> =>
  async ({ params }, call) => {
    const [row] = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(commands)
        .where(and(eq(commands.tenantId, call.tenantId), eq(commands.commandId, params.command_id))),
    );
    if (!row) throw notFound();
    return { status: 200, body: presentCommand(row, call.requestId) };
  };
