import { hash } from 'node:crypto';
import type { contract } from '@tenant-open-platform/contract';
import { and, eq, sql } from 'drizzle-orm';
import { canonicalJson } from '../../platform/canonical-json.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { refuseLargePayload } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { outbox } from '../../platform/outbox/outbox.table.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { deviceRequests } from './device-requests.table.js';
import { currentDeviceRequest, presentDeviceRequest } from './present-device-request.js';

type Services = { database: Database; signals: Signals; payloadLimitBytes: number };

/** Only the first reply is stored: concurrent replies wait for each other at the row. */
export const replyDeviceRequest =
  ({ database, signals, payloadLimitBytes }: Services): Handler<typeof contract.deviceRequests.reply> =>
  async ({ params: { request_id: deviceRequestId }, body }, { tenantId, requestId, caller, refuse }) => {
    refuseLargePayload(Buffer.byteLength(JSON.stringify(body.payload ?? {})), payloadLimitBytes);
    const replySha256 = hash('sha256', canonicalJson(body), 'buffer');
    const isThis = and(eq(deviceRequests.tenantId, tenantId), eq(deviceRequests.deviceRequestId, deviceRequestId));
    const { row, isReplay } = await asTenant(database, tenantId, async (tx) => {
      const [current] = await tx.select(currentDeviceRequest).from(deviceRequests).where(isThis).for('no key update');
      if (!current) throw refuse('NOT_FOUND');
      if (current.status === 'REPLIED') {
        if (!current.replySha256?.equals(replySha256)) throw refuse('DEVICE_REQUEST_ALREADY_REPLIED');
        return { row: current, isReplay: true };
      }
      if (current.status === 'EXPIRED') throw refuse('DEVICE_REQUEST_EXPIRED');
      const [replied] = await tx
        .update(deviceRequests)
        .set({
          status: 'REPLIED',
          replyOutcome: body.outcome,
          replyPayload: body.payload ?? null,
          replyError: body.error ?? null,
          replySha256,
          repliedAt: sql`now()`,
          repliedByClientId: caller.clientId,
        })
        .where(isThis)
        .returning();
      if (!replied) throw new Error('The locked device request is gone.');
      await tx.insert(outbox).values({ tenantId, factId: deviceRequestId, kind: 'DEVICE_REQUEST_REPLIED' });
      return { row: replied, isReplay: false };
    });
    if (!isReplay) signals.send([topics.outbox, topics.deviceRequests(tenantId)]);
    return {
      status: 200,
      body: presentDeviceRequest(row, requestId),
      ...(isReplay && { headers: { 'Idempotent-Replayed': 'true' } }),
    };
  };
