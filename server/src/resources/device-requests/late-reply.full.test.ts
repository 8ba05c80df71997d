import { randomUUID } from 'node:crypto';
import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { refuse } from '../../foundation/api-error.js';
import { asTenant } from '../../foundation/database/row-level-security.js';
import { localSignals } from '../../foundation/signals/signals.js';
import type { Call } from '../../gateway/operation/call.js';
import { createDeviceRequestReceiver } from '../../pipeline/device-requests.js';
import type { Services } from '../handlers.js';
import { reply } from './device-requests.js';

const database = openPool();
const signals = localSignals();

test('a reply that would wait in the outbox until its device request has expired is refused, and nothing is stored', async () => {
  const { tenant_id: tenantId, reader, operator } = await createTenant();
  const receive = createDeviceRequestReceiver(database, signals);
  const message = { device_id: 'd-1', request_type: 'help', payload: {}, dedupe_id: randomUUID() };
  await receive({
    tenantId,
    vendor: 'vendor_a',
    ageMs: 0,
    message: { ...message, expires_in_seconds: 3_600 },
  });
  const read = async () => (await signedRequest(reader, 'GET', '/api/v1/open/device-requests')).body.items[0];
  const { device_request_id: id } = await read();
  const caller = { tenantId, clientId: operator.client_id };
  const work: Call['asTenant'] = (of) => asTenant(database, tenantId, of);
  const call = { tenantId, caller, requestId: 'r', admittedAt: new Date(), refuse, asTenant: work } as unknown as Call;
  const replyIn = (seconds: number) => {
    const services = {
      signals,
      payloadLimitBytes: 32_768,
      waits: { secondsFor: () => seconds },
    } as unknown as Services;
    return reply(
      { params: { request_id: id }, body: { outcome: 'SUCCESS' }, query: {} } as never,
      call as never,
      services,
    );
  };
  await expect(replyIn(3_700)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await read()).toMatchObject({ status: 'PENDING', reply: null });
  expect(await replyIn(60)).toMatchObject({ status: 200, body: { status: 'REPLIED' } });
});
