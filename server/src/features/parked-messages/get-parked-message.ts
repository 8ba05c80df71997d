import { isUtf8 } from 'node:buffer';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { presentParkedMessage } from './present-parked-message.js';

export const getParkedMessage: Handler<'parkedMessages.get'> = async ({ params }, call) => {
  const own = ownRow(parkedMessages, call, params);
  const row = await call.asTenant((tx) => readRow(tx, call, parkedMessages, own));
  const body_encoding = isUtf8(row.body) ? 'UTF-8' : 'BASE64';
  const body = row.body.toString(body_encoding === 'UTF-8' ? 'utf8' : 'base64');
  return { status: 200, body: { ...presentParkedMessage(row, call), body, body_encoding } };
};
