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

type Acceptance = Partial<Record<'batch_id' | 'accepted_after' | 'accepted_before', string | undefined>>;

export const ofBatch = ({ batch_id }: Acceptance) => batch_id && eq(commands.batchId, batch_id);

export const inTime = ({ accepted_after, accepted_before }: Acceptance) =>
  all([
    accepted_after && gte(commands.commandId, firstIdAt(accepted_after)),
    accepted_before && lt(commands.commandId, firstIdAt(accepted_before)),
  ]);

export const listCommands: Handler<'commands.list'> = ({ query }, call) => {
  // Of two conditions with an index Postgres may take the one that finds more rows.
  const isBatchRange = query.device_id === undefined && query.idempotency_key === undefined;
  return newestFirst(call, query, {
    table: commands,
    order: ['commandId'],
    range: all([
      query.device_id && eq(commands.deviceId, query.device_id),
      query.idempotency_key && eq(commands.idempotencyKey, query.idempotency_key),
      isBatchRange && ofBatch(query),
      inTime(query),
    ]),
    filteredBy: ['status', 'vendor', 'commandType', 'createdByClientId'],
    filters: all([
      !isBatchRange && ofBatch(query),
      query.is_final === true && notInArray(commands.status, UNDER_WAY),
      query.is_final === false && inArray(commands.status, UNDER_WAY),
    ]),
    json: ['payload', 'result', 'late_result', 'history'],
    present: presentCommand,
  });
};
