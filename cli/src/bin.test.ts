import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf } from '../test/topctl.js';

const binary = new URL('../bin/topctl.mjs', import.meta.url).pathname;
const topctl = (argv: string[], env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [binary, ...argv], { env });

test('the built binary signs a request and prints JSON into a pipe', async () => {
  const { reader } = await createTenant();
  const { stdout, stderr } = await topctl(['whoami'], environmentOf(reader));
  expect(JSON.parse(stdout)).toMatchObject({ client_id: reader.client_id });
  expect(stderr).toBe('');
});

test('the built binary ends with the documented exit code', async () => {
  const failed = topctl(['commands', 'create']);
  await expect(failed).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--vendor') });
});

test('Tab completes commands, flags and the values of a flag', async () => {
  const completed = async (...words: string[]) => (await topctl(['complete', '--', ...words])).stdout;
  expect(await completed('credentials', 'ro')).toMatch(/^rotate\t/);
  expect(await completed('commands', 'create', '--time')).toMatch(/^--timeout-seconds\t/);
  expect(await completed('tenants', 'update', '--status', 'D')).toMatch(/^DISABLED\b/);
  expect((await topctl(['completion', 'bash'])).stdout).toContain('complete -F __topctl_complete topctl');
});
