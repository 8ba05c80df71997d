import { hash } from 'node:crypto';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { sql } from 'drizzle-orm';
import { largePayload } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow } from '../../platform/operation/rows.js';
import { outbox } from '../../platform/outbox/outbox.table.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { deviceRequests } from './device-requests.table.js';
import { currentDeviceRequest, presentDeviceRequest } from './present-device-request.js';

/** Only the first reply is stored: concurrent replies wait for each other at the row. */
export const replyDeviceRequest =
  (signals: Signals, payloadLimitBytes: number): Handler<'deviceRequests.reply'> =>
  async ({ params: { request_id: deviceRequestId }, body }, call) => {
    const { tenantId, refuse } = call;
    const tooLarge = largePayload(Buffer.byteLength(JSON.stringify(body.payload ?? {})), payloadLimitBytes);
    if (tooLarge) throw tooLarge;
    const replySha256 = hash('sha256', canonicalJson(body), 'buffer');
    const isThis = ownRow(deviceRequests, call, { device_request_id: deviceRequestId });
    const { row, isReplay } = await call.asTenant(async (tx) => {
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
          repliedByClientId: call.caller.clientId,
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
      body: presentDeviceRequest(row, call),
      ...(isReplay && { headers: { 'Idempotent-Replayed': 'true' } }),
    };
  };
