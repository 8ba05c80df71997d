import { isUtf8 } from 'node:buffer';
import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { presentParkedMessage } from './present-parked-message.js';

export const getParkedMessage =
  (database: Database): Handler<typeof contract.parkedMessages.get> =>
  async ({ params: { parked_message_id: id } }, call) => {
    const isMessage = isParkedMessage(call.tenantId, id);
    const row = await asTenant(database, call.tenantId, (tx) => readRow(tx, call, parkedMessages, isMessage));
    const body_encoding = isUtf8(row.body) ? 'UTF-8' : 'BASE64';
    const body = row.body.toString(body_encoding === 'UTF-8' ? 'utf8' : 'base64');
    return { status: 200, body: { ...presentParkedMessage(row, call.requestId), body, body_encoding } };
  };

export const isParkedMessage = (tenantId: string, id: string) =>
  and(eq(parkedMessages.tenantId, tenantId), eq(parkedMessages.parkedMessageId, id));
