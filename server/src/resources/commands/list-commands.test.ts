import { randomUUID } from 'node:crypto';
import { createTenant, nextMillisecond, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS, completed } from '../../../test/support/commands.js';

type Sent = { device_id: string; idempotency_key: string; accepted_at: string };

/** In the order of acceptance, each in its own millisecond. */
const sent: Sent[] = [];

const tenant = await createTenant();
for (const fields of [
  { device_id: 'd-1' },
  { device_id: 'd-2', vendor: 'vendor_b' },
  { device_id: 'd-3', command_type: 'set_power', payload: { power: 'on' } },
  { device_id: 'é/ä +&=%' },
  { device_id: 'd-1' },
]) {
  const idempotency_key = randomUUID();
  const body = { vendor: 'vendor_a', command_type: 'reboot', payload: {}, idempotency_key, ...fields };
  const { command_id, accepted_at } = (await signedRequest(tenant.operator, 'POST', COMMANDS, { body })).body;
  await completed(tenant.reader, command_id);
  sent.push({ device_id: fields.device_id, idempotency_key, accepted_at });
  await nextMillisecond();
}

/** The indexes, in the order of acceptance, of the commands that the list shows. */
async function listed(query: Record<string, string>): Promise<number[]> {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const answer = await signedRequest(tenant.reader, 'GET', `${COMMANDS}?${pairs.join('&')}`);
  expect(answer.status, answer.raw).toBe(200);
  const keys: string[] = answer.body.items.map((item: Sent) => item.idempotency_key);
  return keys.map((key) => sent.findIndex(({ idempotency_key }) => idempotency_key === key));
}

const at = (index: number) => sent[index]?.accepted_at ?? '';

test('lists newest first', async () => {
  expect(await listed({ limit: '500' })).toEqual([4, 3, 2, 1, 0]);
});

test.each([
  [{ status: 'SUCCEEDED' }, [4, 3, 2, 1, 0]],
  [{ status: 'CANCELED' }, []],
  [{ vendor: 'vendor_b' }, [1]],
  [{ vendor: 'vendor_z' }, []],
  [{ device_id: 'd-1' }, [4, 0]],
  [{ device_id: 'é/ä +&=%' }, [3]],
  [{ device_id: 'D-1' }, []],
  [{ command_type: 'set_power' }, [2]],
  [{ device_id: 'd-1', command_type: 'reboot', vendor: 'vendor_a', status: 'SUCCEEDED' }, [4, 0]],
  [{ device_id: 'd-1', command_type: 'set_power' }, []],
])('filters by %j', async (query, expected) => {
  expect(await listed(query)).toEqual(expected);
});

test('filters by idempotency_key', async () => {
  expect(await listed({ idempotency_key: sent[2]?.idempotency_key ?? '' })).toEqual([2]);
});

test('accepted_after includes its instant, accepted_before excludes it', async () => {
  expect(await listed({ accepted_after: at(1) })).toEqual([4, 3, 2, 1]);
  expect(await listed({ accepted_before: at(1) })).toEqual([0]);
  expect(await listed({ accepted_after: at(1), accepted_before: at(3) })).toEqual([2, 1]);
  expect(await listed({ accepted_after: at(3), accepted_before: at(1) })).toEqual([]);
});

test('an instant finer than milliseconds lies after the millisecond that it starts with', async () => {
  const finer = at(1).replace('Z', '000001Z');
  expect(await listed({ accepted_after: finer })).toEqual([4, 3, 2]);
  expect(await listed({ accepted_before: finer })).toEqual([1, 0]);
  const equal = at(1).replace('Z', '000000Z');
  expect(await listed({ accepted_after: equal })).toEqual([4, 3, 2, 1]);
});

test('an instant may have any offset, at any date of the calendar', async () => {
  const shifted = new Date(Date.parse(at(1)) + 90 * 60_000).toISOString().replace('Z', '+01:30');
  expect(await listed({ accepted_after: shifted })).toEqual([4, 3, 2, 1]);
  expect(await listed({ accepted_after: '1970-01-01T00:00:00Z' })).toEqual([4, 3, 2, 1, 0]);
  expect(await listed({ accepted_before: '9999-12-31T23:59:59.999999999Z' })).toEqual([4, 3, 2, 1, 0]);
});

test.each([
  ['status', 'accepted'],
  ['vendor', 'Vendor'],
  ['device_id', 'a\nb'],
  ['command_type', 'a b'],
  ['idempotency_key', 'a b'],
  ['accepted_after', '2026-01-31'],
  ['accepted_before', '2026-02-30T00:00:00Z'],
])('refuses %s=%j with its location', async (name, value) => {
  const target = `${COMMANDS}?${name}=${encodeURIComponent(value)}`;
  const { status, body } = await signedRequest(tenant.reader, 'GET', target);
  expect([status, body.code, body.details[0].location]).toEqual([400, 'VALIDATION_FAILED', `query/${name}`]);
});
