import { type DeviceReplyMessage, subjects } from '@tenant-open-platform/contract/bus';
import { sql } from 'drizzle-orm';
import type { Message } from '../../../platform/bus/bus.js';
import type { Now } from '../../../platform/database/steady-clock.js';
import type { OutboxKind } from '../../../platform/outbox/outbox-kind.js';
import { deviceRequests } from '../device-requests.table.js';
import { replyOf } from '../device-requests.js';

type Row = typeof deviceRequests.$inferSelect;

/** The outbox rows of replies. A reply leaves while its device waits. */
export const replyOutbox = (now: Now): OutboxKind => ({
  kind: 'DEVICE_REQUEST_REPLIED',
  async prepare(tx, rows) {
    const { tenantId, deviceRequestId, expiresAt } = deviceRequests;
    const found = await tx
      .select()
      .from(deviceRequests)
      .where(
        sql`(${tenantId}, ${deviceRequestId}) in (
          select tenant_id, fact_id from json_to_recordset(${JSON.stringify(rows)}::text::json)
            as replied (tenant_id text, fact_id uuid)
        ) and ${expiresAt} > ${now()}`,
      );
    const messages = new Map(found.map((row) => [`${row.tenantId} ${row.deviceRequestId}`, toReplyMessage(row)]));
    return {
      messages: rows.map(({ tenant_id, fact_id }) => messages.get(`${tenant_id} ${fact_id}`) ?? null),
      topics: [],
    };
  },
});

export function toReplyMessage(row: Row): Message | null {
  const reply = replyOf(row);
  if (!reply) return null;
  const { outcome, payload, error, replied_at } = reply;
  const body: DeviceReplyMessage = {
    device_request_id: row.deviceRequestId,
    dedupe_id: row.dedupeId,
    device_id: row.deviceId,
    request_type: row.requestType,
    outcome,
    payload,
    error,
    replied_at,
    expires_at: row.expiresAt.toISOString(),
  };
  return {
    subject: subjects.deviceReply(row.tenantId, row.vendor),
    id: `device-reply:${row.deviceRequestId}`,
    body: Buffer.from(JSON.stringify(body)),
  };
}
