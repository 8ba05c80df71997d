import { type DeviceReplyMessage, subjects } from '@tenant-open-platform/contract/bus';
import { and, asc, between, eq, gt, sql } from 'drizzle-orm';
import type { Message } from '../../../platform/bus/bus.js';
import type { Database } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import type { Now } from '../../../platform/database/steady-clock.js';
import { readTenantIds } from '../../../platform/identity/tenant-ids.js';
import { firstIdAt } from '../../../platform/new-id.js';
import type { OutboxKind } from '../../../platform/outbox/outbox-kind.js';
import type { Republishable } from '../../../platform/outbox/republish.js';
import { replyOf } from '../device-requests.js';
import { deviceRequests } from '../device-requests.table.js';

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

function toReplyMessage(row: Row): Message | null {
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

const PAGE = 256;
/** No device waits longer than a day for a reply, so older requests have no reply to send. */
const LONGEST_WAIT_MS = 25 * 60 * 60 * 1_000;

/** The replies of the range whose devices still wait. */
export const republishReplies = (database: Database): Republishable =>
  async function* pages({ since, until, tenantId }) {
    const ids = tenantId === undefined ? await readTenantIds(database) : [tenantId];
    const { deviceRequestId, expiresAt, repliedAt } = deviceRequests;
    for (const id of ids) {
      let last = firstIdAt(new Date(Date.parse(until) - LONGEST_WAIT_MS).toISOString());
      for (;;) {
        const rows = await asAllTenants(database, (tx) =>
          tx
            .select()
            .from(deviceRequests)
            .where(
              and(
                eq(deviceRequests.tenantId, id),
                gt(deviceRequestId, last),
                gt(expiresAt, sql`now()`),
                between(repliedAt, sql`${since}::timestamptz`, sql`${until}::timestamptz`),
              ),
            )
            .orderBy(asc(deviceRequestId))
            .limit(PAGE),
        );
        const next = rows.at(-1);
        if (!next) break;
        yield { messages: rows.flatMap((row) => toReplyMessage(row) ?? []), resumeFrom: since };
        last = next.deviceRequestId;
      }
    }
  };
