import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTenant } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

const { operator } = await createTenant();
const env = environmentOf(operator);
const commands = '/api/v1/open/downlink/commands';
const reboot = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {}, idempotency_key: 'k1' };

test('a request is signed and sent, and its answer printed as it came', async () => {
  const { exitCode, stdout, stderr } = await topctl(['api', 'GET', '/api/v1/open/me'], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ client_id: operator.client_id });
});

test.each([
  ['an argument', JSON.stringify(reboot), undefined],
  ['stdin', '-', JSON.stringify(reboot)],
])('the body is %s', async (_, body, stdin) => {
  const { exitCode, stdout } = await topctl(['api', 'post', commands, '--body', body], {
    env,
    ...(stdin && { stdin }),
  });
  expect({ exitCode, answer: JSON.parse(stdout) }).toMatchObject({ exitCode: 0, answer: { status: 'ACCEPTED' } });
});

test('a refusal is explained on stderr, and has its exit code', async () => {
  const { exitCode, stdout, stderr } = await topctl(['api', 'GET', `${commands}/c1`], { env });
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringContaining('(NOT_FOUND)'),
  });
});

test('--dry-run sends nothing', async () => {
  const body = JSON.stringify({ ...reboot, idempotency_key: 'never' });
  const { exitCode, stdout, stderr } = await topctl(['api', 'POST', commands, '--body', body, '--dry-run'], { env });
  expect({ exitCode, stderr, shown: JSON.parse(stdout) }).toMatchObject({
    exitCode: 0,
    stderr: 'Nothing was sent.\n',
    shown: { method: 'POST' },
  });
  expect((await topctl(['commands', 'list', '-o', 'json'], { env })).stdout).not.toContain('never');
});

test.each([
  ['a target that the platform would refuse', ['GET', '/api/v1/../x'], 'Cannot sign this target'],
  ['another method', ['PATCH', commands], 'the method is GET, POST, PUT or DELETE'],
  ['a body of a GET', ['GET', commands, '--body', '{}'], 'GET and DELETE take no --body'],
  ['a body that is not JSON', ['POST', commands, '--body', '{"secret":osk_x', '--print-curl'], '--body is not JSON\n'],
])('%s is wrong usage', async (_, argv, problem) => {
  const { exitCode, stderr } = await topctl(['api', ...argv], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(problem) });
});

test.each(['{"error":"bad gateway"}', '[]', '{"code":1,"details":5}', '<h1>Bad Gateway</h1>'])(
  'an answer %s of another server is explained',
  async (text) => {
    const server = createServer((_, response) => response.writeHead(502).end(text));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const elsewhere = environmentOf({ ...operator, base_url: `http://127.0.0.1:${port}` });
    const { exitCode, stderr } = await topctl(['api', 'GET', '/api/v1/open/me'], { env: elsewhere });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('(UNEXPECTED_ANSWER)') });
  },
);

test('an unreachable platform is named', async () => {
  const unreachable = environmentOf({ ...operator, base_url: 'http://127.0.0.1:1' });
  const { exitCode, stderr } = await topctl(['api', 'GET', '/api/v1/open/me'], { env: unreachable });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining('The platform at http://127.0.0.1:1 cannot be reached: '),
  });
});
