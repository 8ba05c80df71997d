import { randomUUID } from 'node:crypto';
import { signedRequest } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openSession } from '../../../test/support/open-pool.js';

const idle = await startIdlePlatform();

type Group = { vendor?: string; reason: string | null; other_reasons?: true; total: number };

/** A batch in which the reason with the number n belongs to n commands. The last ones have no reason. */
async function batchOf(reasons: readonly string[], withoutReason: number): Promise<string> {
  const owner = openSession(idle.superuserUrl);
  onTestFinished(() => owner.end());
  const batch = randomUUID();
  const { tenant_id, client_id } = idle.demo;
  const codes = [
    ...reasons.flatMap((code, index) => Array<string>(index + 1).fill(code)),
    ...Array<null>(withoutReason).fill(null),
  ];
  await owner`
    insert into commands (
      tenant_id, command_id, batch_id, idempotency_key, vendor, device_id, command_type, payload,
      timeout_seconds, status, adapter_status, device_execution_status, status_reason, accepted_at, deadline_at,
      completed_at, updated_at, created_by_client_id, request_id
    )
    select ${tenant_id}, gen_random_uuid(), ${batch}, ${batch}::text || number, 'vendor_' || number % 3, 'd', 'reboot',
      '{}', 30, 'FAILED', 'UNREACHABLE', 'NOT_STARTED',
      case when code is not null then json_build_object('code', code, 'message', '') end, now(), now(), now(), now(),
      ${client_id}, 'many'
    from json_array_elements_text(${JSON.stringify(codes)}::text::json) with ordinality as given (code, number)`;
  return batch;
}

const summary = async (query: string) =>
  (await signedRequest(idle.demo, 'GET', `/api/v1/open/downlink/command-summary?${query}`)).body;

test('the 20 most frequent reasons have groups of their own, all others are one group', async () => {
  // An adapter may use any code, also one that looks like ours.
  const reasons = Array.from({ length: 100 }, (_, index) => (index === 40 ? 'other_reasons' : `code ${index + 1}`));
  const batch = await batchOf(reasons, 7);
  const { groups, total } = await summary(`batch_id=${batch}&group_by=reason`);
  expect(total).toBe(5_057);
  expect(groups.map(({ counts: _, ...group }: Group & { counts: object }) => group)).toEqual([
    { reason: null, other_reasons: true, total: (80 * 81) / 2 },
    ...Array.from({ length: 20 }, (_, index) => ({ reason: `code ${100 - index}`, total: 100 - index })),
    { reason: null, total: 7 },
  ]);
});

test('with vendors the reasons are the same, and an endless number of codes makes no endless answer', async () => {
  const reasons = Array.from({ length: 130 }, (_, index) => 'x'.repeat(100) + index);
  const batch = await batchOf(reasons, 0);
  const { groups } = await summary(`batch_id=${batch}&group_by=vendor,adapter_status,reason`);
  expect(new Set(groups.map(({ reason }: Group) => reason)).size).toBe(21);
  expect(groups).toHaveLength(3 * 21);
  expect(groups.reduce((sum: number, { total }: Group) => sum + total, 0)).toBe(8_515);
});
