import { randomUUID } from 'node:crypto';
import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { completed } from '../../../test/support/commands.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';

const BATCHES = '/api/v1/open/downlink/command-batches';
const FIGURES = '/api/v1/open/downlink/command-figures';

const [tenant, other] = [await createTenant(), await createTenant()];

type Named = { counts: Record<string, number>; total: number; duration_ms: object | null; points: Named[] };

/** A batch of commands to these devices of the simulated fleet, which have ended. */
async function endedBatch(devices: [vendor: string, device_id: string][]): Promise<string> {
  const commands = devices.map(([vendor, device_id]) => ({
    vendor,
    device_id,
    command_type: vendor === 'vendor_a' ? 'reboot' : 'lock',
    payload: {},
    idempotency_key: randomUUID(),
  }));
  const { status, raw, body } = await signedRequest(tenant.operator, 'POST', BATCHES, { body: { commands } });
  expect(status, raw).toBe(200);
  await Promise.all(body.items.map(({ command_id }: { command_id: string }) => completed(tenant.reader, command_id)));
  return body.batch_id;
}

const figures = async (query: string, reader = tenant.reader) => {
  const { status, raw, body } = await signedRequest(
    reader,
    'GET',
    `${FIGURES}${query && '?'}${query.replace(/&$/, '')}`,
  );
  expect(status, raw).toBe(200);
  return body;
};

/** The groups without the statuses that no command has. */
const short = ({ counts, points, duration_ms, ...group }: Named) => ({
  ...group,
  counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
  inPoints: points.reduce((sum, { total }) => sum + total, 0),
  isTimed: duration_ms !== null,
});

const devices: [string, string][] = [
  ['vendor_a', 'ok-1'],
  ['vendor_a', 'ok-2'],
  ['vendor_a', 'fail-1'],
  ['vendor_a', 'unreachable-1'],
  ['vendor_b', 'unreachable-2'],
  ['vendor_b', 'reject-1'],
];

const ofEach = { isTimed: true };
const groupsBy = {
  vendor: [
    { vendor: 'vendor_a', total: 4, inPoints: 4, counts: { SUCCEEDED: 2, FAILED: 2 }, ...ofEach },
    { vendor: 'vendor_b', total: 2, inPoints: 2, counts: { FAILED: 1, REJECTED: 1 }, ...ofEach },
  ],
  status: [
    { status: 'FAILED', total: 3, inPoints: 3, counts: { FAILED: 3 }, ...ofEach },
    { status: 'SUCCEEDED', total: 2, inPoints: 2, counts: { SUCCEEDED: 2 }, ...ofEach },
    { status: 'REJECTED', total: 1, inPoints: 1, counts: { REJECTED: 1 }, ...ofEach },
  ],
  reason: [
    { reason: null, total: 2, inPoints: 2, counts: { SUCCEEDED: 2 }, isTimed: false },
    { reason: 'UNREACHABLE', total: 2, inPoints: 2, counts: { FAILED: 2 }, isTimed: false },
    { reason: 'DEVICE_FAULT', total: 1, inPoints: 1, counts: { FAILED: 1 }, isTimed: false },
    { reason: 'NOT_NOW', total: 1, inPoints: 1, counts: { REJECTED: 1 }, isTimed: false },
  ],
};

test('ended commands are counted by outcome, vendor and reason, for the tenant, a vendor and a batch', async () => {
  const batch = await endedBatch(devices);
  for (const scope of ['', `batch_id=${batch}&`]) {
    const all = await figures(scope);
    expect(all).toMatchObject({ interval: 'MINUTE', total: 6, is_partial: false });
    expect(all).not.toHaveProperty('groups');
    expect(short(all)).toMatchObject({ inPoints: 6, counts: { SUCCEEDED: 2, FAILED: 3, REJECTED: 1 } });
    for (const [by, expected] of Object.entries(groupsBy)) {
      expect((await figures(`${scope}group_by=${by}`)).groups.map(short)).toEqual(expected);
    }
    expect(short(await figures(`${scope}vendor=vendor_b`))).toMatchObject({ total: 2, inPoints: 2 });
  }
  expect(await figures('', other.reader)).toMatchObject({ total: 0, duration_ms: null, points: [] });
  expect(await figures(`batch_id=${batch}`, other.reader)).toMatchObject({ total: 0 });
});

test('a range counts whole intervals, and says which', async () => {
  const empty = await figures('completed_after=2026-01-31T09:30:12Z&completed_before=2026-01-31T09:31:12Z');
  expect(empty).toMatchObject({ from: '2026-01-31T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z', interval: 'DAY' });
  expect(empty).toMatchObject({ total: 0, points: [] });
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  expect(await figures(`completed_after=${at(3)}`)).toMatchObject({ interval: 'MINUTE' });
  expect(await figures(`completed_after=${at(4)}`)).toMatchObject({ interval: 'HOUR' });
  expect(await figures(`completed_after=${at(72)}`)).toMatchObject({ interval: 'HOUR' });
  expect(await figures(`completed_after=${at(74)}`)).toMatchObject({ interval: 'DAY' });
});

test('group_by takes one property', async () => {
  expectRefusal(await signedRequest(tenant.reader, 'GET', `${FIGURES}?group_by=vendor,reason`), 'VALIDATION_FAILED');
});
