import { CommandStatus } from '@tenant-open-platform/contract';
import { eq, gte, inArray, lt, notInArray } from 'drizzle-orm';
import { all } from '../../platform/database/bounded-scan.js';
import { firstIdAt } from '../../platform/new-id.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { commands } from './commands.table.js';
import { presentCommand } from './present-command.js';
import { isTerminal } from './transitions.js';

const UNDER_WAY = CommandStatus.options.filter((status) => !isTerminal({ status }));

export const listCommands: Handler<'commands.list'> = ({ query }, call) =>
  newestFirst(call, query, {
    table: commands,
    order: ['commandId'],
    range: all([
      query.device_id && eq(commands.deviceId, query.device_id),
      query.idempotency_key && eq(commands.idempotencyKey, query.idempotency_key),
      query.accepted_after && gte(commands.commandId, firstIdAt(query.accepted_after)),
      query.accepted_before && lt(commands.commandId, firstIdAt(query.accepted_before)),
    ]),
    filteredBy: ['status', 'vendor', 'commandType'],
    filters: all([
      query.is_final === true && notInArray(commands.status, UNDER_WAY),
      query.is_final === false && inArray(commands.status, UNDER_WAY),
    ]),
    json: ['payload', 'result', 'late_result', 'history'],
    present: presentCommand,
  });
