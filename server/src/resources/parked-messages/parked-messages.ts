import { isUtf8 } from 'node:buffer';
import { contract, type ParkedMessageKind } from '@tenant-open-platform/contract';
import { readSubject, type SubjectKind } from '@tenant-open-platform/contract/bus';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { all, idsBetween } from '../../foundation/database/pages.js';
import { withAudit } from '../../gateway/audit/audit.js';
import { refuseOnFullDay } from '../../gateway/audit/daily-bytes.js';
import type { Call } from '../../gateway/operation/call.js';
import { retriedMessageId } from '../../pipeline/bus/parked-messages.js';
import { parkedMessages } from '../../pipeline/tables.js';
import { deleteHandler, type Handler } from '../handlers.js';
import { newestFirst } from '../lists.js';
import { ownRow, presenter, readRow } from '../rows.js';

export type Kind = z.infer<typeof ParkedMessageKind>;

/** What a subject calls each kind. */
const subjectKinds: Record<Kind, SubjectKind> = {
  COMMAND: 'commands',
  COMMAND_UPDATE: 'command-updates',
  DEVICE_REQUEST: 'device-requests',
  DEVICE_REPLY: 'device-replies',
  EVENT: 'events',
};

const kinds = new Map(Object.entries(subjectKinds).map(([kind, name]) => [name, kind as Kind]));

const { body: _, ...columnsWithoutBody } = getTableColumns(parkedMessages);

type Row = Omit<typeof parkedMessages.$inferSelect, 'body'>;

const fieldsOf = presenter(parkedMessages, contract.parkedMessages.list.responses[200].shape.items.element);

function presentParkedMessage(row: Row, call: Call) {
  const read = readSubject(row.subject);
  const kind = (read && kinds.get(read.kind)) ?? null;
  const vendor = kind === 'EVENT' ? null : (read?.name ?? null);
  // A command cannot be retried: the caller was told that it FAILED.
  return { ...fieldsOf(row, call), kind, vendor, can_retry: row.isWhole && kind !== null && kind !== 'COMMAND' };
}

export const list: Handler<'parkedMessages.list'> = ({ query }, call) =>
  newestFirst(call, query, {
    table: parkedMessages,
    order: ['parkedMessageId'],
    columns: columnsWithoutBody,
    range: idsBetween(parkedMessages.parkedMessageId, query.parked_after, query.parked_before),
    filters: all([
      query.kind && eq(tokenOfSubject(3), subjectKinds[query.kind]),
      query.vendor && sql`${eq(tokenOfSubject(4), query.vendor)} and ${tokenOfSubject(3)} <> 'events'`,
    ]),
    present: presentParkedMessage,
  });

/** `tenants.{tenant_id}.{kind}.{vendor}` */
const tokenOfSubject = (position: number) => sql`split_part(${parkedMessages.subject}, '.', ${position}::int)`;

export const get: Handler<'parkedMessages.get'> = async ({ params }, call) => {
  const row = await call.asTenant((tx) => readRow(tx, call, parkedMessages, params));
  const body_encoding = isUtf8(row.body) ? 'UTF-8' : 'BASE64';
  const body = row.body.toString(body_encoding === 'UTF-8' ? 'utf8' : 'base64');
  return { status: 200, body: { ...presentParkedMessage(row, call), body, body_encoding } };
};

/**
 * No transaction is open while it waits for the bus. The message stays parked until nothing more is to be done: the
 * platform deletes an adapter's message once it has taken it, and its own message is deleted here once the bus has
 * acknowledged it. A failure in between leaves it parked, and a further retry publishes it twice.
 */
export const retry: Handler<'parkedMessages.retry'> = async ({ params }, call, { bus }) => {
  const { parked_message_id: id } = params;
  const row = await call.asTenant(async (tx) => {
    await refuseOnFullDay(tx, call);
    return readRow(tx, call, parkedMessages, params);
  });
  const before = presentParkedMessage(row, call);
  if (!before.can_retry) throw call.refuse('PARKED_MESSAGE_NOT_RETRYABLE');
  const message = { subject: row.subject, id: retriedMessageId(id), body: row.body };
  const [refusal] = await bus.publish([message]).catch(() => {
    const text =
      'The bus has not acknowledged the message: it may still be published. It stays parked. Wait for the time in Retry-After and get the message (parkedMessages.get). If it is still parked, repeat the request.';
    throw call.refuse('SERVICE_UNAVAILABLE', { message: text, headers: { 'Retry-After': '1' } });
  });
  if (refusal) {
    const text = `The bus refuses the message again: ${refusal.reason}. It stays parked.`;
    throw call.refuse('PARKED_MESSAGE_NOT_RETRYABLE', { message: text });
  }
  await withAudit(call, { fields: {}, mayExceed: true }, async (tx) => {
    const isOfPlatform = before.kind === 'DEVICE_REPLY' || before.kind === 'EVENT';
    if (isOfPlatform) await tx.delete(parkedMessages).where(ownRow(parkedMessages, call, params));
    return { before, after: { retried: true }, result: null };
  });
  return { status: 200, body: { parked_message_id: id, retried: true, request_id: call.requestId } };
};

const deleteParkedMessage = deleteHandler(parkedMessages, presentParkedMessage);

export { deleteParkedMessage as delete };
