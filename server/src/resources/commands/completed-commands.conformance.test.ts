import { createTenant, platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { cancelCommand, completed, newCommand } from '../../../test/support/commands.js';
import { administer } from '../../../test/support/operation-ids.js';
import { unique } from '../../../test/support/unique.js';

/** What the processes of all nodes count together, by final status. */
async function countsOf(vendor: string): Promise<Record<string, number>> {
  const pages = await Promise.all(platform().nodes.map(async (node) => (await fetch(`${node}/metrics`)).text()));
  const counts: Record<string, number> = {};
  for (const line of pages.flatMap((page) => page.split('\n'))) {
    if (!line.startsWith('top_commands_completed_total{') || !line.includes(`vendor="${vendor}"`)) continue;
    const status = /status="([A-Z_]+)"/.exec(line)?.[1] ?? '';
    counts[status] = (counts[status] ?? 0) + Number(line.split(' ').at(-1));
  }
  return counts;
}

test('every command that ends is counted once, by its final status and vendor', async () => {
  const tenant = await createTenant();
  const vendor = unique('simulated');
  await administer('PUT', `/api/v1/platform/catalog/vendors/${vendor}`, { enabled: true });
  await administer('PUT', `/api/v1/platform/catalog/vendors/${vendor}/command-types/reboot`, {
    description: 'Restarts the device.',
    payload_schema: { type: 'object' },
  });
  const send = (fields: object) => newCommand(tenant.operator, { vendor, ...fields });
  const deviceIds = ['ok-1', 'ok-2', 'fail-1', 'reject-1', ...Array.from({ length: 8 }, (_, number) => `ok-${number}`)];
  const ids = await Promise.all(deviceIds.map((device_id) => send({ device_id, timeout_seconds: 300 })));
  ids.push(await send({ device_id: 'offline-1', timeout_seconds: 3 }));
  await Promise.all(ids.slice(4, 12).map((id) => cancelCommand(tenant.operator, id)));
  const statuses: string[] = await Promise.all(ids.map(async (id) => (await completed(tenant.reader, id)).status));
  expect(statuses).toEqual(expect.arrayContaining(['SUCCEEDED', 'FAILED', 'REJECTED']));
  const expected: Record<string, number> = {};
  for (const status of statuses) expected[status] = (expected[status] ?? 0) + 1;
  await expect.poll(() => countsOf(vendor), { timeout: 60_000 }).toEqual(expected);
});
