import type { contract } from '@tenant-open-platform/contract';
import { withAudit } from '../../platform/audit/with-audit.js';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { deleteRow } from '../../platform/operation/rows.js';
import { isParkedMessage } from './get-parked-message.js';
import { presentParkedMessage } from './present-parked-message.js';

export const deleteParkedMessage =
  (database: Database): Handler<typeof contract.parkedMessages.delete> =>
  async ({ params: { parked_message_id: id } }, call) => {
    await withAudit(database, call, { fields: {} }, async (tx) => {
      const deleted = await deleteRow(tx, call, parkedMessages, isParkedMessage(call.tenantId, id));
      return { before: presentParkedMessage(deleted, call.requestId), after: null, result: null };
    });
    return { status: 200, body: { parked_message_id: id, deleted: true, request_id: call.requestId } };
  };
