import { type DeviceReplyMessage, subjects } from '@tenant-open-platform/contract/bus';
import { sql } from 'drizzle-orm';
import type { Message } from '../../platform/bus/bus.js';
import type { Database } from '../../platform/database/database.js';
import { inSystem } from '../../platform/database/roles.js';
import type { MessagesByRow } from '../../platform/outbox/publish-rows.js';
import { deviceRequests } from './device-requests.table.js';
import { replyOf } from './present-device-request.js';

type Row = typeof deviceRequests.$inferSelect;

/** What the outbox rows of replies stand for: the reply to the vendor's adapter, while its device waits. */
export const deviceReplyMessages =
  (database: Database): MessagesByRow =>
  async (rows) => {
    const replied = rows.filter(({ kind }) => kind === 'DEVICE_REQUEST_REPLIED');
    if (replied.length === 0) return rows.map(() => []);
    const { tenantId, deviceRequestId, expiresAt } = deviceRequests;
    const found = await inSystem(database, (tx) =>
      tx
        .select()
        .from(deviceRequests)
        .where(
          sql`(${tenantId}, ${deviceRequestId}) in (
            select tenant_id, fact_id from json_to_recordset(${JSON.stringify(replied)}::text::json)
              as replied (tenant_id text, fact_id uuid)
          ) and ${expiresAt} > now()`,
        ),
    );
    const messages = new Map(found.map((row) => [`${row.tenantId} ${row.deviceRequestId}`, toMessages(row)]));
    return rows.map(({ tenant_id, fact_id }) => messages.get(`${tenant_id} ${fact_id}`) ?? []);
  };

function toMessages(row: Row): Message[] {
  const reply = replyOf(row);
  if (!reply) return [];
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
  return [
    {
      subject: subjects.deviceReply(row.tenantId, row.vendor),
      id: `device-reply:${row.deviceRequestId}`,
      body: Buffer.from(JSON.stringify(body)),
    },
  ];
}
