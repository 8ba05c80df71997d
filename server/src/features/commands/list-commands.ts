import { CommandStatus, type contract } from '@tenant-open-platform/contract';
import { eq, gte, inArray, lt, notInArray } from 'drizzle-orm';
import { all } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import { firstIdAt } from '../../platform/new-id.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { commands } from './commands.table.js';
import { presentCommand } from './present-command.js';
import { isTerminal } from './transitions.js';

const UNDER_WAY = CommandStatus.options.filter((status) => !isTerminal({ status }));

export const listCommands =
  (database: Database): Handler<typeof contract.commands.list> =>
  ({ query }, call) =>
    newestFirst(database, call, query, {
      table: commands,
      order: ['commandId'],
      range: all([
        query.device_id && eq(commands.deviceId, query.device_id),
        query.idempotency_key && eq(commands.idempotencyKey, query.idempotency_key),
        query.accepted_after && gte(commands.commandId, firstIdAt(query.accepted_after)),
        query.accepted_before && lt(commands.commandId, firstIdAt(query.accepted_before)),
      ]),
      filters: all([
        query.status && inArray(commands.status, query.status),
        query.is_final === true && notInArray(commands.status, UNDER_WAY),
        query.is_final === false && inArray(commands.status, UNDER_WAY),
        query.vendor && eq(commands.vendor, query.vendor),
        query.command_type && eq(commands.commandType, query.command_type),
      ]),
      json: ['payload', 'result', 'late_result', 'history'],
      present: presentCommand,
    });
