import { randomUUID } from 'node:crypto';
import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { completed } from '../../../test/support/commands.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';

const BATCHES = '/api/v1/open/downlink/command-batches';
const SUMMARY = '/api/v1/open/downlink/command-summary';

const tenant = await createTenant();

type Item = { command_id: string };
type Group = { counts: Record<string, number>; total: number };

/** A batch of commands to these devices of the simulated fleet. All have ended, except those to `offline-`. */
async function batchOf(devices: [vendor: string, device_id: string][]): Promise<string> {
  const commands = devices.map(([vendor, device_id]) => ({
    vendor,
    device_id,
    command_type: vendor === 'vendor_a' ? 'reboot' : 'lock',
    payload: {},
    idempotency_key: randomUUID(),
    timeout_seconds: 300,
  }));
  const { status, raw, body } = await signedRequest(tenant.operator, 'POST', BATCHES, { body: { commands } });
  expect(status, raw).toBe(200);
  const open = devices.map(([, device]) => device.startsWith('offline-'));
  const ended = body.items.filter((_: Item, index: number) => !open[index]);
  await Promise.all(ended.map(({ command_id }: Item) => completed(tenant.reader, command_id)));
  return body.batch_id;
}

/** The groups without the statuses that no command has. */
const short = ({ counts, ...group }: Group) => ({
  ...group,
  counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
});

test('the summary counts by vendor, by adapter status and by reason, alone and together', async () => {
  const batch = await batchOf([
    ['vendor_a', 'ok-1'],
    ['vendor_a', 'ok-2'],
    ['vendor_a', 'fail-1'],
    ['vendor_a', 'unreachable-1'],
    ['vendor_a', 'unreachable-2'],
    ['vendor_a', 'offline-1'],
    ['vendor_b', 'unreachable-3'],
    ['vendor_b', 'reject-1'],
  ]);
  const summary = async (query: string) =>
    (await signedRequest(tenant.reader, 'GET', `${SUMMARY}?batch_id=${batch}${query}`)).body;
  const groups = async (by: string) => (await summary(`&group_by=${by}`)).groups.map(short);
  const ungrouped = await summary('');
  expect(ungrouped).not.toHaveProperty('groups');
  await expect.poll(async () => (await summary('')).counts.DISPATCHED).toBe(1);
  const { counts, total } = await summary('&group_by=vendor,adapter_status,reason');
  expect({ counts, total }).toEqual({ counts: (await summary('')).counts, total: 8 });

  expect(await groups('vendor')).toEqual([
    { vendor: 'vendor_a', total: 6, counts: { SUCCEEDED: 2, FAILED: 3, DISPATCHED: 1 } },
    { vendor: 'vendor_b', total: 2, counts: { FAILED: 1, REJECTED: 1 } },
  ]);
  expect(await groups('reason')).toEqual([
    { reason: 'UNREACHABLE', total: 3, counts: { FAILED: 3 } },
    { reason: null, total: 3, counts: { SUCCEEDED: 2, DISPATCHED: 1 } },
    { reason: 'DEVICE_FAULT', total: 1, counts: { FAILED: 1 } },
    { reason: 'NOT_NOW', total: 1, counts: { REJECTED: 1 } },
  ]);
  // Commands that reached no device are apart from those that failed on it, whatever code the adapter gave.
  expect(await groups('adapter_status')).toEqual([
    { adapter_status: 'DELIVERED', total: 4, counts: { SUCCEEDED: 2, FAILED: 1, REJECTED: 1 } },
    { adapter_status: 'UNREACHABLE', total: 3, counts: { FAILED: 3 } },
    { adapter_status: 'SENT', total: 1, counts: { DISPATCHED: 1 } },
  ]);
  expect(await groups('reason,vendor')).toEqual([
    { vendor: 'vendor_a', reason: null, total: 3, counts: { SUCCEEDED: 2, DISPATCHED: 1 } },
    { vendor: 'vendor_a', reason: 'UNREACHABLE', total: 2, counts: { FAILED: 2 } },
    { vendor: 'vendor_a', reason: 'DEVICE_FAULT', total: 1, counts: { FAILED: 1 } },
    { vendor: 'vendor_b', reason: 'NOT_NOW', total: 1, counts: { REJECTED: 1 } },
    { vendor: 'vendor_b', reason: 'UNREACHABLE', total: 1, counts: { FAILED: 1 } },
  ]);
});

test('the groups of no commands are an empty list', async () => {
  const { body } = await signedRequest(tenant.reader, 'GET', `${SUMMARY}?batch_id=${randomUUID()}&group_by=reason`);
  expect(body).toMatchObject({ total: 0, groups: [], next_older_than: null });
});

test.each(['device_id', 'vendor,vendor', 'vendor,', 'REASON'])('group_by=%s is refused', async (by) => {
  const answer = await signedRequest(tenant.reader, 'GET', `${SUMMARY}?group_by=${by}`);
  expectRefusal(answer, 'VALIDATION_FAILED');
  expect(answer.body.details).toMatchObject([{ location: 'query/group_by' }]);
});
