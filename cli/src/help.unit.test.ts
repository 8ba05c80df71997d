import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { completeHelp } from '../test/complete-help.js';
import { topctl } from '../test/topctl.js';

test('the help equals the golden file (refresh: pnpm golden)', async () => {
  const written = await readFile(new URL('../help.golden.txt', import.meta.url), 'utf8');
  expect(await completeHelp(), 'cli/help.golden.txt is out of date: run pnpm golden').toBe(written);
});

test('no line of the help is wider than 80 columns, but usages and examples, which must stay whole', async () => {
  const lines = (await completeHelp()).split('\n');
  expect(lines.filter((line) => line.length > 80 && !/^ *(topctl|--|Usage:) ?/.test(line))).toEqual([]);
});

test('topctl help names a command like its --help', async () => {
  expect(await topctl(['help', 'commands', 'create'])).toEqual(await topctl(['commands', 'create', '--help']));
  expect(await topctl(['help'])).toEqual(await topctl(['--help']));
});

test('topctl help refuses a command that does not exist, and never runs one', async () => {
  for (const unknown of [['comands'], ['commands', 'creat']]) {
    const { exitCode, stdout, stderr } = await topctl(['help', ...unknown]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`unknown command '${unknown.at(-1)}'`);
  }
  const { exitCode, stdout } = await topctl(['help', 'tenants', 'delete', 'acme', '--yes']);
  expect([exitCode, stdout]).toEqual([0, (await topctl(['tenants', 'delete', '--help'])).stdout]);
});

test('--version prints only the version', async () => {
  expect(await topctl(['--version'])).toEqual({ exitCode: 0, stdout: '0.0.0\n', stderr: '' });
});
