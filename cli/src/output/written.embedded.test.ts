import { openSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { builtTopctl } from '../../test/built-topctl.js';
import { environmentOf } from '../../test/topctl.js';

const { admin, operator } = await createTenant();
const env = environmentOf(operator);
const fullDisk = openSync('/dev/full', 'w');
const reboot = ['--vendor', 'vendor_a', '--command-type', 'reboot', '--device-id'];
const listed = async (device: string) =>
  JSON.parse((await builtTopctl(['commands', 'list', '--device-id', device], { env })).stdout);
const keyIn = (stderr: string) => /without a second effect: --idempotency-key (\S+)/.exec(stderr)?.[1] ?? '';

describe('a full disk ends topctl with one clear line', () => {
  test.each(['whoami', 'commands list', 'whoami -o yaml', '--help', 'completion bash'])('%s', async (line) => {
    const { exitCode, stderr } = await builtTopctl(line.split(' '), { env, stdout: fullDisk });
    expect(stderr).toMatch(/^error: stdout cannot be written: ENOSPC: no space left on device[^\n]*\n$/);
    expect(exitCode).toBe(1);
  });

  test('a command whose answer was lost is printed again by its key, and sent once', async () => {
    const lost = await builtTopctl(['commands', 'create', ...reboot, 'offline-full'], { env, stdout: fullDisk });
    expect(lost).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('was sent and is not undone') });
    const again = ['commands', 'create', ...reboot, 'offline-full', '--idempotency-key', keyIn(lost.stderr)];
    const { command_id } = JSON.parse((await builtTopctl(again, { env })).stdout);
    expect(await listed('offline-full')).toMatchObject([{ command_id }]);
  });

  test('a secret that was lost is printed again by its key', async () => {
    const create = ['credentials', 'create', '--client-id', `full-${operator.client_id}`, '--name', 'Full'];
    const lost = await builtTopctl(create, { env: environmentOf(admin), stdout: fullDisk });
    expect(lost.exitCode).toBe(1);
    const again = await builtTopctl([...create, '--idempotency-key', keyIn(lost.stderr)], {
      env: environmentOf(admin),
    });
    expect(JSON.parse(again.stdout).secret).toMatch(/^osk_/);
  });

  test('a fleet whose results were lost is not sent twice', async () => {
    const cwd = temporaryFolder();
    const line = { vendor: 'vendor_a', device_id: 'offline-fleet', command_type: 'reboot', payload: {} };
    await writeFile(join(cwd, 'fleet.ndjson'), JSON.stringify(line));
    const send = ['commands', 'create-many', '--from', 'fleet.ndjson'];
    const lost = await builtTopctl(send, { env, cwd, stdout: fullDisk });
    expect(lost).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/second effect: the same command with --batch-id \S+\n$/),
    });
    expect(await readdir(cwd)).toContain('fleet.ndjson.batch');
    expect(await builtTopctl(send, { env, cwd })).toMatchObject({ exitCode: 0 });
    expect(await listed('offline-fleet')).toHaveLength(1);
  });

  test('for messages, the exit code still tells the outcome', async () => {
    expect(await builtTopctl(['roles', 'list'], { env, stderr: fullDisk })).toMatchObject({ exitCode: 5, stdout: '' });
  });
});

test('a closed pipe ends what only reads in silence, and what changes something with one line', async () => {
  const read = await builtTopctl(['commands', 'list'], { env, stdout: 'closed' });
  expect(read).toMatchObject({ exitCode: 0, stderr: '' });
  const create = ['commands', 'create', ...reboot, 'offline-pipe'];
  const changed = await builtTopctl(create, { env, stdout: 'closed' });
  expect(changed.stderr).toMatch(/^error: the reader of stdout has closed it; POST \S+ was sent and is not undone\n/);
  expect(changed.exitCode).toBe(1);
  expect(keyIn(changed.stderr)).not.toBe('');
});
