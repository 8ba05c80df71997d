import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createTenant } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

const { admin, operator } = await createTenant();
const reboot = ['--vendor', 'vendor_a', '--device-id', "o'k", '--command-type', 'reboot'];
const commandIds = async () =>
  (await topctl(['commands', 'list', '-o', 'id'], { env: environmentOf(operator) })).stdout;

test('--dry-run shows the request and sends nothing, also where the command would wait', async () => {
  const argv = ['commands', 'create', ...reboot, '--idempotency-key', 'k1', '--wait', '--dry-run'];
  const { exitCode, stdout, stderr } = await topctl(argv, { env: environmentOf(operator) });
  expect({ exitCode, stderr, request: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    stderr: 'Nothing was sent.\n',
    request: {
      method: 'POST',
      url: `${operator.base_url}/api/v1/open/downlink/commands`,
      body: { vendor: 'vendor_a', device_id: "o'k", command_type: 'reboot', payload: {}, idempotency_key: 'k1' },
    },
  });
  expect(await commandIds()).toBe('');
});

test('--print-curl prints a command that works once, without the secret', async () => {
  const { exitCode, stdout } = await topctl(['commands', 'create', ...reboot, '--print-curl'], {
    env: environmentOf(operator),
  });
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain(operator.secret);
  expect(await commandIds()).toBe('');
  const answers = [];
  for (let n = 0; n < 2; n += 1) answers.push(JSON.parse((await promisify(execFile)('sh', ['-c', stdout])).stdout));
  expect(answers).toMatchObject([{ status: 'ACCEPTED' }, { code: 'NONCE_REUSED' }]);
  expect(await commandIds()).toBe(`${answers[0].command_id}\n`);
});

test('--print-curl signs with the clock of the platform, if that of this machine is wrong', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 });
  onTestFinished(() => void vi.useRealTimers());
  for (const argv of [
    ['commands', 'create', ...reboot],
    ['api', 'POST', '/api/v1/open/downlink/commands', '--body', '{}'],
  ]) {
    const { stdout } = await topctl([...argv, '--print-curl'], { env: environmentOf(operator) });
    const { code } = JSON.parse((await promisify(execFile)('sh', ['-c', stdout])).stdout);
    expect(code).not.toBe('CLOCK_SKEW');
  }
});

test('--print-curl prints no body with control or bidi characters: they are shown as escapes', async () => {
  const body = JSON.stringify({ text: '\u009b31m\u202e' });
  const argv = ['api', 'POST', '/api/v1/open/downlink/commands', '--body', body, '--print-curl'];
  const { stdout, stderr } = await topctl(argv, { env: environmentOf(operator) });
  expect(JSON.parse(stdout).body).toEqual(JSON.parse(body));
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
  expect(stderr).toContain('no curl command is printed');
});

test('what would be asked is not asked, and is not done', async () => {
  const argv = ['credentials', 'update', operator.client_id, '--status', 'DISABLED', '--dry-run'];
  const { exitCode, stdout } = await topctl(argv, { env: environmentOf(admin) });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ method: 'PUT', body: { status: 'DISABLED' } });
  expect((await topctl(['whoami'], { env: environmentOf(operator) })).exitCode).toBe(0);
});

test.each(['--dry-run', '--print-curl'])('%s shows no secret of a body', async (flag) => {
  const required = { name: 'S', endpoint: 'https://s.test', region: 'r', 'access-key-id': 'A' };
  const flags = Object.entries(required).flatMap(([name, value]) => [`--${name}`, value]);
  const argv = ['object-credentials', 'create', ...flags, '--secret-access-key-file', '-', flag];
  const { exitCode, stdout } = await topctl(argv, { env: environmentOf(admin), stdin: 'hidden-key' });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).body).toMatchObject({ access_key_id: 'A', secret_access_key: '…' });
});

test('reads are sent', async () => {
  expect(await topctl(['whoami', '-o', 'id', '--dry-run'], { env: environmentOf(operator) })).toEqual({
    exitCode: 0,
    stdout: `${operator.client_id}\n`,
    stderr: '',
  });
});
