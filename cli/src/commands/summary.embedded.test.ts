import { expect, test } from 'vitest';
import { fresh, linesOf, reboot, send } from '../../test/fleet.js';
import { topctl } from '../../test/topctl.js';

test('summary --group-by prints a row for each group, with a column for each status that there is', async () => {
  const world = await fresh();
  await world.write(reboot('ok-1'), reboot('ok-2'), reboot('unreachable-1'), reboot('fail-1'));
  await send(world, '--wait');
  const summary = ['commands', 'summary', '--group-by', 'vendor,reason'];
  const terminal = await topctl(summary, { ...world, table: true });
  expect(terminal).toMatchObject({ exitCode: 0, stderr: '' });
  expect(terminal.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['VENDOR', 'REASON', 'TOTAL', 'SUCCEEDED', 'FAILED'],
    ['vendor_a', '-', '2', '2', '0'],
    ['vendor_a', 'DEVICE_FAULT', '1', '0', '1'],
    ['vendor_a', 'UNREACHABLE', '1', '0', '1'],
    [''],
  ]);
  const { stdout } = await topctl(summary, world);
  expect(JSON.parse(stdout)).toMatchObject({ total: 4, groups: [{ reason: null, total: 2 }, {}, {}] });
  const lines = linesOf(await topctl([...summary, '-o', 'ndjson'], world));
  expect(lines.map(({ reason, counts }) => [reason, counts.FAILED])).toEqual([
    [null, 0],
    ['DEVICE_FAULT', 1],
    ['UNREACHABLE', 1],
  ]);
  expect((await topctl([...summary, '-o', 'id'], world)).stdout).toBe(
    'vendor_a -\nvendor_a DEVICE_FAULT\nvendor_a UNREACHABLE\n',
  );
});

test('a wrong --group-by names the values before anything is sent', async () => {
  const outcome = await topctl(['commands', 'summary', '--group-by', 'reasons'], await fresh());
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
  expect(outcome.stderr).toContain('--group-by must be one or more of vendor, adapter_status, reason');
});
