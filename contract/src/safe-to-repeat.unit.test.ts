import { expect, test } from 'vitest';
import { isSafeToRepeat } from './facts.js';

type Change = [
  source: 'PLATFORM' | 'ADAPTER' | 'DEVICE',
  status: string,
  adapter_status: string,
  device_execution_status: string,
];

const sent: Change = ['PLATFORM', 'DISPATCHED', 'SENT', 'NOT_STARTED'];
const expired: Change = ['PLATFORM', 'EXPIRED', 'PENDING', 'NOT_STARTED'];
const delivered: Change = ['ADAPTER', 'DISPATCHED', 'DELIVERED', 'NOT_STARTED'];
const timedOut: Change = ['PLATFORM', 'TIMED_OUT', 'TIMED_OUT', 'UNKNOWN'];
const unreachable: Change = ['ADAPTER', 'FAILED', 'UNREACHABLE', 'NOT_STARTED'];
const lateUnreachable: Change = ['ADAPTER', 'TIMED_OUT', 'UNREACHABLE', 'UNKNOWN'];
const lateSuccess: Change = ['DEVICE', 'TIMED_OUT', 'DELIVERED', 'SUCCEEDED'];

const isSafe = (...changes: Change[]) => {
  const history = [['PLATFORM', 'ACCEPTED', 'PENDING', 'NOT_STARTED'] as Change, ...changes].map(
    ([source, status, adapter_status, device_execution_status]) => ({
      at: '2026-01-31T09:30:00.000Z',
      source,
      status,
      adapter_status,
      device_execution_status,
      reason: null,
    }),
  );
  const status = changes.at(-1)?.[1] ?? 'ACCEPTED';
  return isSafeToRepeat({ status, status_reason: null, history });
};

test('a command that nobody could read is safe to repeat, unless somebody reports on it after all', () => {
  const status_reason = { code: 'NO_ADAPTER', message: '' };
  const entry = {
    at: '',
    status: 'TIMED_OUT',
    adapter_status: 'TIMED_OUT',
    device_execution_status: 'UNKNOWN',
    reason: null,
  };
  const safe = (sources: ('PLATFORM' | 'DEVICE')[]) => {
    const history = sources.map((source) => ({ ...entry, source }));
    return isSafeToRepeat({ status: 'TIMED_OUT', status_reason, history });
  };
  expect([safe(['PLATFORM']), safe(['PLATFORM', 'DEVICE'])]).toEqual([true, false]);
});

test.each<[string, Change[]]>([
  ['was never sent', [expired]],
  ['reached no device', [sent, unreachable]],
  ['reached its adapter too late, as a late report says', [sent, timedOut, lateUnreachable]],
])('a command that %s is safe to repeat', (_, changes) => {
  expect(isSafe(...changes)).toBe(true);
});

test.each<[string, Change[]]>([
  ['has no outcome', [sent, timedOut]],
  ['is not final', [sent]],
  ['was canceled', [['PLATFORM', 'CANCELED', 'PENDING', 'NOT_STARTED']]],
  ['succeeded', [sent, ['DEVICE', 'SUCCEEDED', 'DELIVERED', 'SUCCEEDED']]],
  ['failed on the device', [sent, ['DEVICE', 'FAILED', 'DELIVERED', 'FAILED']]],
  ['failed in the adapter', [sent, ['ADAPTER', 'FAILED', 'FAILED', 'NOT_STARTED']]],
  ['was refused', [sent, ['ADAPTER', 'REJECTED', 'REJECTED', 'NOT_STARTED']]],
  ['the bus refused', [sent, ['PLATFORM', 'FAILED', 'FAILED', 'NOT_STARTED']]],
  ['is unreachable after it was delivered', [sent, delivered, unreachable]],
  ['is unreachable after the device began', [sent, ['DEVICE', 'DISPATCHED', 'DELIVERED', 'IN_PROGRESS'], unreachable]],
  ['was delivered and called unreachable too late', [sent, delivered, timedOut, lateUnreachable]],
  ['timed out in the adapter', [sent, ['ADAPTER', 'TIMED_OUT', 'TIMED_OUT', 'UNKNOWN'], lateUnreachable]],
  ['one process could not reach and another one carried out', [sent, timedOut, lateUnreachable, lateSuccess]],
])('a command that %s is not', (_, changes) => {
  expect(isSafe(...changes)).toBe(false);
});
