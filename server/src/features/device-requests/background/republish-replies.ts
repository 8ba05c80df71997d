import { and, asc, between, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import { readTenantIds } from '../../../platform/identity/tenant-ids.js';
import { firstIdAt } from '../../../platform/new-id.js';
import type { Republishable } from '../../../platform/outbox/republish.js';
import { deviceRequests } from '../device-requests.table.js';
import { toReplyMessage } from './reply-outbox.js';

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
