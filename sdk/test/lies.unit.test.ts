import { expect, test } from 'vitest';
import { type Execution, isNeedlesslyUnknown, liesIn, type Told } from './lies.js';

type End = [status: string, adapter_status: string, device_execution_status: string, reason?: string];

const publicStatusOf = ([status, , device]: End) => {
  if (status === 'DISPATCHED') return 'PENDING';
  if (status === 'TIMED_OUT' || device === 'UNKNOWN') return 'UNKNOWN';
  return status === 'SUCCEEDED' ? 'SUCCEEDED' : 'FAILED';
};

/** The record of a command that ended so. `late` is reported afterwards. */
function told(end: End, late?: End): Told {
  const entry = ([status, adapter_status, device_execution_status, code]: End) => ({
    at: '2026-01-31T09:30:00.000Z',
    source: (device_execution_status === 'NOT_STARTED' ? 'ADAPTER' : 'DEVICE') as 'ADAPTER' | 'DEVICE',
    status,
    adapter_status,
    device_execution_status,
    reason: code ? { code, message: '' } : null,
  });
  const { status, device_execution_status, reason } = entry(end);
  const isOfPlatform = end[1] === 'PENDING' || end[3] === 'TIMED_OUT';
  const ended = { ...entry(end), ...(isOfPlatform && { source: 'PLATFORM' as const }) };
  return {
    status,
    device_execution_status,
    public_status: publicStatusOf(end),
    status_reason: reason,
    late_result: late
      ? {
          received_at: '',
          adapter_status: late[1],
          device_execution_status: late[2] === 'NOT_STARTED' ? null : late[2],
          status_reason: entry(late).reason,
          result: null,
        }
      : null,
    history: late ? [ended, entry(late)] : [ended],
  };
}

const seen = (...answers: Execution['answer'][]): Execution[] =>
  answers.map((answer) => ({ command_id: 'c', device_id: 'd', begun_at: '', ended_at: '', answer }));

const succeeded: End = ['SUCCEEDED', 'DELIVERED', 'SUCCEEDED'];
const failed: End = ['FAILED', 'DELIVERED', 'FAILED'];
const refused: End = ['REJECTED', 'DELIVERED', 'REJECTED'];
const rejected: End = ['REJECTED', 'REJECTED', 'NOT_STARTED'];
const unreachable: End = ['FAILED', 'UNREACHABLE', 'NOT_STARTED'];
const adapterFailed: End = ['FAILED', 'FAILED', 'NOT_STARTED'];
const expired: End = ['EXPIRED', 'PENDING', 'NOT_STARTED'];
const timedOut: End = ['TIMED_OUT', 'TIMED_OUT', 'UNKNOWN', 'TIMED_OUT'];
const lateUnreachable: End = ['TIMED_OUT', 'UNREACHABLE', 'NOT_STARTED', 'NOT_STARTED'];
const sentTwice: End = ['TIMED_OUT', 'DELIVERED', 'TIMED_OUT', 'SENT_TWICE'];

test.each<[string, Told, Execution[], string[]]>([
  ['a success of which the device knows nothing', told(succeeded), [], ['SUCCEEDED']],
  ['a success that the device calls a failure', told(succeeded), seen('FAILED'), ['SUCCEEDED']],
  ['a late success of which the device knows nothing', told(timedOut, succeeded), [], ['SUCCEEDED']],
  ['a failure that was a success', told(failed), seen('DONE'), ['FAILED on the device']],
  ['a late failure of which the device knows nothing', told(timedOut, failed), [], ['FAILED on the device']],
  ['a refusal of a device that has executed it', told(refused), seen('DONE'), ['REJECTED by the device']],
  ['a refusal of which the device knows nothing', told(refused), [], ['REJECTED by the device']],
  ['refused by the adapter, and executed', told(rejected), seen('DONE'), ['not started']],
  ['failed in the adapter, and executed', told(adapterFailed), seen('FAILED'), ['not started']],
  ['unreachable, and executed', told(unreachable), seen('DONE'), ['not started', 'safe to repeat']],
  ['never sent, and executed', told(expired), seen('DONE'), ['not started', 'safe to repeat']],
  ['late unreachable, and executed', told(timedOut, lateUnreachable), seen('DONE'), ['safe to repeat']],
  ['executed twice without a mark', told(succeeded), seen('DONE', 'DONE'), ['executed twice, and not marked']],
  ['unknown, twice, without a mark', told(timedOut), seen('DONE', 'FAILED'), ['executed twice, and not marked']],
  ['not ended', told(['DISPATCHED', 'SENT', 'IN_PROGRESS']), [], ['not ended']],
  ['an end that nobody knows', told(['FAILED', 'FAILED', 'IN_PROGRESS']), [], ['says nothing of the device']],
])('a lie is found: %s', (_, record, executions, lies) => {
  expect(liesIn(record, executions)).toEqual(lies);
});

test.each<[string, Told, Execution[]]>([
  ['a success', told(succeeded), seen('DONE')],
  ['a failure', told(failed), seen('FAILED')],
  ['a refusal', told(refused), seen('REFUSED')],
  ['refused by the adapter', told(rejected), []],
  ['unreachable', told(unreachable), seen('OFFLINE')],
  ['unreachable at first', told(succeeded), seen('OFFLINE', 'DONE')],
  ['never sent', told(expired), []],
  ['unknown, and executed', told(timedOut), seen('DONE')],
  ['unknown, and not executed', told(timedOut), []],
  ['unknown, then late a success', told(timedOut, succeeded), seen('DONE')],
  ['unknown, then late unreachable', told(timedOut, lateUnreachable), []],
  ['executed twice with a mark', told(sentTwice), seen('DONE', 'DONE')],
  ['executed twice with a late mark', told(timedOut, sentTwice), seen('DONE', 'DONE')],
])('the truth is none: %s', (_, record, executions) => {
  expect(liesIn(record, executions)).toEqual([]);
});

test('needlessly unknown is what never began, unless a late report says so', () => {
  expect(isNeedlesslyUnknown(told(sentTwice), [])).toBe(true);
  expect(isNeedlesslyUnknown(told(timedOut), seen('OFFLINE'))).toBe(true);
  expect(isNeedlesslyUnknown(told(timedOut), seen('DONE'))).toBe(false);
  expect(isNeedlesslyUnknown(told(timedOut, lateUnreachable), [])).toBe(false);
  expect(isNeedlesslyUnknown(told(unreachable), [])).toBe(false);
});
