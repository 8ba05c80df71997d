import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signedRequest } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openSession } from '../../../test/support/open-pool.js';
import { untilServed } from '../../../test/support/until-served.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const ROWS = 500;
const MIB = 1_048_576;

/** Commands, events and device requests with payloads and results of 32 KiB that do not compress. */
const idle = await startIdlePlatform();
const { tenant_id, client_id } = idle.demo;
const owner = openSession(idle.superuserUrl);
await owner`
  create temporary table large as
  select number, gen_random_uuid() as id, json_build_object('a', string_agg(md5(random()::text), '')) as json
  from generate_series(1, ${ROWS}::int) number, generate_series(1, 1023) group by number`;
await owner`
  insert into commands (
    tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload, timeout_seconds,
    status, adapter_status, device_execution_status, result, accepted_at, deadline_at, completed_at, updated_at,
    created_by_client_id, request_id
  )
  select ${tenant_id}, id, 'large-' || number, 'vendor_a', 'large', 'reboot', json, 30, 'SUCCEEDED', 'DELIVERED',
    'SUCCEEDED', json, now(), now(), now(), now(), ${client_id}, 'large'
  from large`;
await owner`
  insert into events (tenant_id, command_id, event_type, event_id)
  select ${tenant_id}, id, 'command.completed', gen_random_uuid() from large`;
await owner`
  insert into device_requests (
    tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at, expires_at
  )
  select ${tenant_id}, id, 'vendor_a', 'large', 'ask', json, 'large-' || number, 'EXPIRED', now(), now() from large`;
await owner.end();

const read = (target: string) => untilServed(() => signedRequest(idle.demo, 'GET', `/api/v1/open/${target}`));

test.each(['downlink/commands', 'events', 'device-requests'])(
  '%s: a page ends after about 1 MiB, and the pages together have every item once',
  async (list) => {
    const ids = new Set<string>();
    for (let cursor: string | null = null; ; ) {
      const { raw, body } = await read(`${list}?limit=500${cursor ? `&cursor=${cursor}` : ''}`);
      const keys = body.items.map(
        (item: Record<string, string>) => item.event_id ?? item.device_request_id ?? item.command_id,
      );
      for (const key of keys) ids.add(key);
      cursor = body.next_cursor;
      expect(raw.length).toBeLessThan(1.2 * MIB);
      if (keys.length === 0 || cursor === null) break;
      if (ids.size < ROWS) expect(raw.length).toBeGreaterThan(MIB);
    }
    expect(ids.size).toBe(ROWS);
  },
);

test('16 concurrent lists of 500 large commands do not fill the memory', async () => {
  const lists = await Promise.all(Array.from({ length: 16 }, () => read('downlink/commands?limit=500')));
  expect(lists.map(({ status }) => status)).toEqual(Array(16).fill(200));
  // The most that the process has ever held.
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${idle.pid}/status`, 'utf8')) ?? [];
  expect(Number(peak) * 1_024).toBeLessThan(400 * MIB);
});

test('the summary of a batch of 25,001 commands counts each once, 10,000 a request', async () => {
  const batch = randomUUID();
  const owner = openSession(idle.superuserUrl);
  onTestFinished(() => owner.end());
  const { tenant_id, client_id } = idle.demo;
  await owner`
    insert into commands (
      tenant_id, command_id, batch_id, idempotency_key, vendor, device_id, command_type, payload,
      timeout_seconds, status, adapter_status, device_execution_status, accepted_at, deadline_at, updated_at,
      created_by_client_id, request_id
    )
    select ${tenant_id}, gen_random_uuid(), ${batch}, 'counted-' || number, 'vendor_a', 'many', 'reboot', '{}', 30,
      (array['SUCCEEDED', 'FAILED', 'DISPATCHED', 'SUCCEEDED']::command_status[])[number % 4 + 1], 'DELIVERED', 'SUCCEEDED', now(), now(),
      now(), ${client_id}, 'many'
    from generate_series(1, 25001) number`;
  const totals: number[] = [];
  const counts: Record<string, number> = {};
  for (let older = ''; ; ) {
    const { body } = await read(`downlink/command-summary?batch_id=${batch}${older}`);
    totals.push(body.total);
    for (const [status, count] of Object.entries<number>(body.counts)) counts[status] = (counts[status] ?? 0) + count;
    if (body.next_older_than === null) break;
    older = `&older_than=${body.next_older_than}`;
  }
  expect(totals).toEqual([10_000, 10_000, 5_001]);
  expect(counts).toMatchObject({ SUCCEEDED: 12_500, FAILED: 6_251, DISPATCHED: 6_250, ACCEPTED: 0 });
});
