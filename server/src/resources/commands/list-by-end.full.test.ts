import { randomUUID } from 'node:crypto';
import { signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../test/support/commands.js';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openSession } from '../../../test/support/open-pool.js';

const idle = await startIdlePlatform();
const owner = openSession(idle.superuserUrl);
const { tenant_id, client_id } = idle.demo;

/** Hours from its acceptance until now, when the platform ends all of them: it was stopped for so long. */
async function endedAfter(hours: number): Promise<void> {
  await owner`
    insert into commands (
      tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
      timeout_seconds, status, adapter_status, device_execution_status, status_reason, accepted_at, deadline_at,
      completed_at, updated_at, created_by_client_id, request_id
    )
    select ${tenant_id},
      (lpad(to_hex((extract(epoch from accepted) * 1000)::bigint), 12, '0') || '7000' || '8000000000000000')::uuid,
      ${randomUUID()}, 'vendor_a', ${`after-${hours}`}, 'reboot', '{}', 30, 'EXPIRED', 'PENDING', 'NOT_STARTED',
      '{"code":"EXPIRED","message":""}', accepted, accepted, now(), now(), ${client_id}, 'old'
    from (select now() - ${hours} * interval '1 hour' as accepted) as given`;
}

for (const hours of [0, 5, 23, 25]) await endedAfter(hours);

test('lists what ended after an outage of up to 24 hours', async () => {
  const since = new Date(Date.now() - 60_000).toISOString();
  const { body } = await signedRequest(idle.demo, 'GET', `${COMMANDS}?completed_after=${since}`);
  expect(body.items.map(({ device_id }: { device_id: string }) => device_id)).toEqual([
    'after-0',
    'after-5',
    'after-23',
  ]);
});
