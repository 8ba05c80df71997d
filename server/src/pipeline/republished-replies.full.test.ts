import { randomUUID } from 'node:crypto';
import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { openPool } from '../../test/support/open-pool.js';
import { createReplier } from '../../test/support/replier.js';
import { localSignals } from '../foundation/signals/signals.js';
import { createDeviceRequestReceiver, republishedReplies } from './device-requests.js';

const REQUESTS = '/api/v1/open/device-requests';

const database = openPool();
const receive = createDeviceRequestReceiver(database, localSignals());

/** A tenant with a reply whose device still waits. */
async function newReply() {
  const tenant = await createTenant();
  const { tenant_id: tenantId, reader } = tenant;
  const message = { device_id: 'd-1', request_type: 'help', payload: {}, dedupe_id: randomUUID() };
  await receive({ tenantId, vendor: 'vendor_a', ageMs: 0, message });
  const [{ device_request_id: id }] = (await signedRequest(reader, 'GET', REQUESTS)).body.items;
  const body = { outcome: 'SUCCESS', payload: {} };
  const replied = await signedRequest(await createReplier(tenant), 'POST', `${REQUESTS}/${id}/reply`, { body });
  expect(replied.status).toBe(200);
  return { tenantId, id };
}

/** The ids of the requests whose replies are published again. */
async function republished(tenantId?: string): Promise<string[]> {
  const now = new Date().toISOString();
  const ids: string[] = [];
  for await (const { messages } of republishedReplies(database, { since: now, until: now, tenantId })) {
    for (const { body } of messages) ids.push(JSON.parse(String(body)).device_request_id);
  }
  return ids;
}

test('a republish sends the replies of the one tenant that it is given, and without one each reply once', async () => {
  const [one, other] = await Promise.all([newReply(), newReply()]);
  expect(await republished(one.tenantId)).toEqual([one.id]);
  const all = await republished();
  expect(all.filter((id) => id === one.id || id === other.id).sort()).toEqual([one.id, other.id].sort());
  expect(new Set(all).size).toBe(all.length);
});
