import { createTenant, nextMillisecond, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS, completed, newCommand } from '../../../test/support/commands.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';

const tenant = await createTenant();
/** In the order in which they ended, each in its own millisecond. */
const ended: { command_id: string; completed_at: string; status_reason: { code: string } | null }[] = [];
for (const device_id of ['ok-1', 'fail-1', 'reject-1', 'unsupported-1']) {
  ended.push(await completed(tenant.reader, await newCommand(tenant.operator, { device_id })));
  await nextMillisecond();
}
/** It ends in no test. */
const open = await newCommand(tenant.operator, { device_id: 'offline-1', timeout_seconds: 300 });

/** The indexes, in the order of their ends, of the commands that the list shows. */
async function listed(query: Record<string, string>): Promise<number[]> {
  const pairs = Object.entries({ limit: '500', ...query }).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  const { status, raw, body } = await signedRequest(tenant.reader, 'GET', `${COMMANDS}?${pairs.join('&')}`);
  expect(status, raw).toBe(200);
  const ids: string[] = body.items.map(({ command_id }: { command_id: string }) => command_id);
  return ids
    .map((id) => (id === open ? 9 : ended.findIndex(({ command_id }) => command_id === id)))
    .filter((index) => index >= 0)
    .toSorted();
}

const at = (index: number) => ended[index]?.completed_at ?? '';
const reason = (index: number) => ended[index]?.status_reason?.code ?? '';

test('lists the commands with a reason, whatever characters an adapter uses', async () => {
  expect(reason(1)).not.toBe(reason(2));
  expect(await listed({ reason: reason(1) })).toEqual([1]);
  expect(await listed({ reason: reason(1), status: 'FAILED' })).toEqual([1]);
  expect(await listed({ reason: reason(1), status: 'SUCCEEDED' })).toEqual([]);
  expect(await listed({ reason: '"é/ä +&=%\\' })).toEqual([]);
  expectRefusal(
    await signedRequest(tenant.reader, 'GET', `${COMMANDS}?reason=${'x'.repeat(129)}`),
    'VALIDATION_FAILED',
  );
});

test('lists the commands that ended in a time: completed_after includes its instant, completed_before excludes it', async () => {
  expect(await listed({})).toEqual([0, 1, 2, 3, 9]);
  expect(await listed({ completed_after: at(1) })).toEqual([1, 2, 3]);
  expect(await listed({ completed_before: at(1) })).toEqual([0]);
  expect(await listed({ completed_after: at(1), completed_before: at(3) })).toEqual([1, 2]);
  expect(await listed({ completed_after: at(1).replace('Z', '000001Z') })).toEqual([2, 3]);
  expect(await listed({ completed_after: at(1), reason: reason(2) })).toEqual([2]);
  expect(await listed({ completed_after: '1970-01-01T00:00:00Z' })).toEqual([0, 1, 2, 3]);
  expect(await listed({ completed_before: '9999-12-31T23:59:59.999999999Z' })).toEqual([0, 1, 2, 3]);
});
