import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startNode, temporaryFolder } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { FILE, linesOf, reboot, send } from '../../test/fleet.js';
import { environmentOf, topctl } from '../../test/topctl.js';

test('commands that expired while nothing was sent are sent again, and succeed', async () => {
  const { url: DATABASE_URL } = await ownPostgres();
  // Accepts, and hands out nothing.
  const idle = await startNode({ DATABASE_URL, ROLE: 'api' });
  const cwd = temporaryFolder();
  await writeFile(join(cwd, FILE), [1, 2, 3].map((n) => `${reboot(`ok-${n}`, { timeout_seconds: 15 })}\n`).join(''));
  const accepted = await send({ cwd, env: environmentOf(idle.demo) });
  expect(accepted.exitCode).toBe(0);
  const list = ['commands', 'list', '-o', 'ndjson'];
  const [{ batch_id, deadline_at }] = linesOf(await topctl(list, { env: environmentOf(idle.demo) }));
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(deadline_at));
  await idle.stop();

  const { demo } = await startNode({ DATABASE_URL, DATA_DIR: idle.folder, SIMULATED_FLEET: 'true' });
  const env = environmentOf(demo);
  const statuses = async () =>
    linesOf(await topctl([...list, '--batch-id', batch_id], { env })).map(({ status }) => status);
  await expect.poll(statuses).toEqual(['EXPIRED', 'EXPIRED', 'EXPIRED']);
  const resend = ['commands', 'create-many', '--resend', batch_id, '--yes', '--wait'];
  const again = await topctl(resend, { env });
  expect(again.stderr).toContain('safe to send again: 3 EXPIRED\n');
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('3 of 3 accepted, 3 succeeded') });
  expect(
    linesOf(again)
      .map(({ device_id }) => device_id)
      .sort(),
  ).toEqual(['ok-1', 'ok-2', 'ok-3']);
});
