import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { newParkedMessage, parkedMessagesOf } from '../../../test/support/parked-messages.js';

const tenant = await createTenant();
const list = parkedMessagesOf(tenant.tenant_id);

const get = (target: string) => signedRequest(tenant.admin, 'GET', target);
const idsOf = async (query = ''): Promise<string[]> =>
  (await get(list + query)).body.items.map(({ parked_message_id }: { parked_message_id: string }) => parked_message_id);

test('what an adapter sent and the platform could not keep is listed with the reason, and read as it was sent', async () => {
  const message = await newParkedMessage(tenant);
  expect(message).toMatchObject({
    tenant_id: tenant.tenant_id,
    subject: `tenants.${tenant.tenant_id}.command-updates.vendor_a`,
    kind: 'COMMAND_UPDATE',
    vendor: 'vendor_a',
    reason: 'The update counts. Left out: body/result is larger than 32768 bytes',
    can_retry: true,
    body_encoding: 'UTF-8',
  });
  expect(JSON.parse(message.body)).toMatchObject({
    device_execution_status: 'SUCCEEDED',
    result: { log: expect.any(String) },
  });
  const { body, body_encoding, request_id, ...fields } = message;
  const listed = (await get(list)).body.items.find(
    (item: { parked_message_id: string }) => item.parked_message_id === message.parked_message_id,
  );
  expect(listed).toEqual({ ...fields, request_id: expect.any(String) });
});

test('filters by kind, vendor and time', async () => {
  const { parked_message_id: id, parked_at } = await newParkedMessage(tenant);
  expect(await idsOf(`?kind=COMMAND_UPDATE&vendor=vendor_a&parked_after=${parked_at}`)).toEqual([id]);
  expect(await idsOf(`?parked_before=${parked_at}`)).not.toContain(id);
  expect(await idsOf('?kind=DEVICE_REQUEST')).toEqual([]);
  expect(await idsOf('?vendor=vendor_b')).toEqual([]);
});

test('a message that is refused again is parked again under another id', async () => {
  const { parked_message_id: id, body } = await newParkedMessage(tenant);
  const before = await idsOf();
  const retried = await signedRequest(tenant.admin, 'POST', `${list}/${id}/retry`);
  expect([retried.status, retried.body]).toEqual([
    200,
    { parked_message_id: id, retried: true, request_id: expect.any(String) },
  ]);
  const again = await vi.waitFor(
    async () => {
      const [added] = (await idsOf()).filter((one) => !before.includes(one));
      if (added === undefined) throw new Error('It is not parked again yet.');
      return added;
    },
    { timeout: 60_000, interval: 100 },
  );
  expect((await get(`${list}/${again}`)).body.body).toBe(body);
  expectRefusal(await get(`${list}/${id}`), 'NOT_FOUND');
});

test('a deleted message is gone', async () => {
  const { parked_message_id: id } = await newParkedMessage(tenant);
  expect((await signedRequest(tenant.admin, 'DELETE', `${list}/${id}`)).status).toBe(200);
  expect(await idsOf()).not.toContain(id);
  expectRefusal(await get(`${list}/${id}`), 'NOT_FOUND');
});
