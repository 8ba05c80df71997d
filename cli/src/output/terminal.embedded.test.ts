import { createTenant, platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';
import { widthOf } from './text-width.js';

const { admin, operator } = await createTenant();
const create = ['commands', 'create', '--vendor', 'vendor_a', '--command-type', 'reboot', '--wait'];
const sent = await topctl([...create, '--device-id', 'ok-1', '-o', 'id'], { env: environmentOf(operator) });
const commandId = sent.stdout.trim();

test.each([
  ['roles list', admin],
  ['credentials list', admin],
  ['role-bindings list', admin],
  ['audit-events list', admin],
  ['doctor', operator],
  ['whoami', operator],
  ['commands list', operator],
  [`commands get ${commandId}`, operator],
  [`commands watch ${commandId}`, operator],
  ['events list', operator],
  ['catalog get', operator],
  ['tenants list', platform().admin],
  ['vendors list', platform().admin],
  ['command-types list vendor_a', platform().admin],
])('%s fits a terminal of 80 columns', async (line, profile) => {
  const { exitCode, stdout } = await topctl(line.split(' '), { env: environmentOf(profile), table: true });
  expect(exitCode).toBe(0);
  expect(stdout).not.toBe('');
  expect(stdout.split('\n').filter((text) => widthOf(text) > 80)).toEqual([]);
});

test('a terminal gets relative times and short ids; a pipe gets whole values, in a table too', async () => {
  const env = environmentOf(operator);
  const terminal = await topctl(['commands', 'list'], { env, table: true });
  expect(terminal.stdout).toMatch(/ ago$/m);
  expect(terminal.stdout).toContain(`…${commandId.slice(-12)}`);
  expect(terminal.stderr).toContain('-o id whole ids');
  const pipe = await topctl(['commands', 'list', '-o', 'table'], { env });
  expect(pipe.stdout).toContain(commandId);
  expect(pipe.stdout).toMatch(/\d{4}-\d\d-\d\dT[\d:.]+Z$/m);
});

test('a list inside a record is a small table', async () => {
  const { stdout } = await topctl(['commands', 'get', commandId], { env: environmentOf(operator), table: true });
  expect(stdout).toMatch(/^history\n {2}AT +SOURCE +STATUS .*\n {2}.* PLATFORM +ACCEPTED/m);
});

test('--fields names the fields of every format, and refuses unknown ones', async () => {
  const run = (...flags: string[]) =>
    topctl(['commands', 'get', commandId, '--fields', 'status,history.source', ...flags], {
      env: environmentOf(operator),
    });
  const record = JSON.parse((await run()).stdout);
  expect(Object.keys(record)).toEqual(['status', 'history']);
  expect(record.history[0]).toEqual({ source: 'PLATFORM' });
  expect(JSON.parse((await run('-o', 'ndjson')).stdout)).toEqual(record);
  expect((await run('-o', 'table')).stdout).toMatch(/^status +SUCCEEDED\nhistory.source +PLATFORM, /);
  const list = await topctl(['commands', 'list', '--fields', 'device_id', '-o', 'table'], {
    env: environmentOf(operator),
  });
  expect(list.stdout).toBe('DEVICE_ID\nok-1\n');
  const unknown = await topctl(['commands', 'list', '--fields', 'devise_id'], { env: environmentOf(operator) });
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('there are command_id, ') });
});

test('--verbose prints every request with its outcome, and no secret', async () => {
  const { stderr } = await topctl(['whoami', '--verbose'], { env: environmentOf(operator) });
  expect(stderr).toMatch(/^> GET \/api\/v1\/open\/me \(request id \S+\)\n< 200 after \d+ ms\n$/);
});

test('--timeout limits the whole call', async () => {
  const silent: typeof fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  const { exitCode, stderr } = await topctl(['whoami', '--timeout', '1'], {
    env: environmentOf(operator),
    fetch: silent,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('did not answer in time') });
});
