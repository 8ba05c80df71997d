import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

const { admin, operator } = await createTenant();
const env = environmentOf(admin);

const create = (device: string) =>
  topctl(
    ['commands', 'create', '--vendor', 'vendor_a', '--device-id', device, '--command-type', 'reboot', '-o', 'id'],
    { env: environmentOf(operator) },
  );
const end = (id: string) => id.trim().slice(-12);

test('a command accepts the end of an id, as a table on a terminal shows it', async () => {
  const [first, second] = [await create('ok-1'), await create('ok-2')];
  const run = (...argv: string[]) => topctl(argv, { env: environmentOf(operator) });
  for (const { stdout: id } of [first, second]) {
    for (const shown of [end(id), `…${end(id)}`]) {
      expect(JSON.parse((await run('commands', 'get', shown)).stdout)).toMatchObject({ command_id: id.trim() });
    }
  }
  const events = await run('events', 'list', '--command-id', end(first.stdout), '-o', 'id');
  expect(events).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/./) });
});

test('ids of a path are completed one after the other, before the question', async () => {
  const run = async (argv: string[], world = {}) => topctl([...argv, '-o', 'json'], { env, ...world });
  const create = ['callback-endpoints', 'create', '--name', 'erp', '--url', 'https://a.example'];
  const { endpoint_id } = JSON.parse((await run(create)).stdout);
  const subscribe = ['callback-subscriptions', 'create', end(endpoint_id), '--event-type', 'command.accepted'];
  const { subscription_id } = JSON.parse((await run(subscribe)).stdout);
  const unsubscribe = ['callback-subscriptions', 'delete', end(endpoint_id), end(subscription_id), '--yes'];
  expect(JSON.parse((await run(unsubscribe)).stdout)).toMatchObject({ subscription_id });
  const deleted = await run(['callback-endpoints', 'delete', end(endpoint_id)], { typed: ['y'] });
  expect(deleted).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(endpoint_id) });
});

test('an end that no id has is refused, and says what to do', async () => {
  const { exitCode, stdout, stderr } = await topctl(['commands', 'get', '…0123456789ab'], {
    env: environmentOf(operator),
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain('none of the newest 500 ids ends in 0123456789ab; "list -o id" prints whole ids');
});

test('an end that two ids have is refused, and names both', async () => {
  const ids = ['019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d', '019bd3a4-5c4e-7cc1-9d52-1d2f3a4b5c6d'];
  const twice: typeof fetch = async () =>
    Response.json({ items: ids.map((command_id) => ({ command_id })), next_cursor: null, request_id: 'r' });
  const { exitCode, stderr } = await topctl(['commands', 'get', '1d2f3a4b5c6d'], { env, fetch: twice });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`2 ids end in 1d2f3a4b5c6d: ${ids.join(', ')}`);
});
