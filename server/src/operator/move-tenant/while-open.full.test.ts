import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { atEnd, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { runMove, startCell } from '../../../test/support/cells.js';
import { completed, newCommand } from '../../../test/support/commands.js';
import { holdTable } from '../../../test/support/hold-table.js';

const [a, b] = await Promise.all([startCell(), startCell()]);
const soon = { timeout: 50_000, interval: 50 };
const lock = { vendor: 'vendor_b', command_type: 'lock' };

/** A device has an open command. The move waits for it, once it has copied everything for the first time. */
test('what changes while a tenant is copied and still open moves too: late results, new commands of new credentials, requests of devices, deletions', async () => {
  await a.call('POST', 'platform/tenants', { tenant_id: 'acme', name: 'Acme' });
  const admin = await a.newProfile('acme', 'tenant_admin');
  const operator = await a.newProfile('acme', 'integration_operator');
  const roles = 'platform/tenants/acme/roles';
  for (const role of ['kept', 'gone']) await a.call('PUT', `${roles}/${role}`, { scopes: ['open:event:read'] });
  const expired = await newCommand(operator, { ...lock, timeout_seconds: 1 });
  await completed(operator, expired);
  const open = await newCommand(operator, { ...lock, timeout_seconds: 120 });
  const connection = await connect({ servers: a.nats.url });
  atEnd(() => connection.close());
  const publish = (kind: string, body: object) =>
    jetstream(connection).publish(`tenants.acme.${kind}.vendor_b`, JSON.stringify(body));
  const succeeded = (command_id: string) =>
    publish('command-updates', { command_id, device_execution_status: 'SUCCEEDED' });
  const lateIn = async (profile: Profile) =>
    (await signedRequest(profile, 'GET', `/api/v1/open/downlink/commands/${expired}`)).body.late_result;

  const recordsIn = (cell: typeof a) => cell.owner`select * from commands where tenant_id = 'acme' order by command_id`;
  let added = '';
  const moved = await runMove(a, b, ['acme', '--to-url', b.baseUrl], 'the tenant is open: waiting for', async () => {
    // The target would let an open command expire.
    expect((await recordsIn(b)).map(({ command_id }) => command_id)).toEqual([expired]);
    await succeeded(expired);
    await vi.waitFor(async () => expect(await lateIn(operator)).not.toBeNull(), soon);
    const other = await a.newProfile('acme', 'integration_operator', 'acme-later');
    added = await newCommand(other, { ...lock, timeout_seconds: 1 });
    await completed(other, added);
    await publish('device-requests', { dedupe_id: 'd', device_id: 'd', request_type: 'ask', payload: {} });
    await vi.waitFor(async () => {
      const { items } = await a.call('GET', 'open/device-requests', undefined, operator);
      expect(items).toHaveLength(1);
    }, soon);
    await signedRequest(a.admin, 'DELETE', `/api/v1/${roles}/gone`, { node: a.baseUrl });
    await succeeded(open);
  });
  expect(moved.exitCode, moved.stderr).toBe(0);

  const there = { ...operator, base_url: b.baseUrl };
  const commands = await recordsIn(b);
  expect(commands.map(({ command_id, status }) => [command_id, status])).toEqual([
    [expired, 'TIMED_OUT'],
    [open, 'SUCCEEDED'],
    [added, 'TIMED_OUT'],
  ]);
  expect(await lateIn(there)).toMatchObject({ device_execution_status: 'SUCCEEDED' });
  const { items: events } = await b.call('GET', 'open/events', undefined, there);
  expect(events).toHaveLength(6);
  const requests = await b.owner`select dedupe_id from device_requests where tenant_id = 'acme'`;
  expect(requests).toEqual([{ dedupe_id: 'd' }]);
  const roleNames = await b.owner`select role from roles where tenant_id = 'acme'`;
  expect(roleNames).toEqual([{ role: 'kept' }]);
  expect((await b.call('GET', 'open/me', undefined, { ...admin, base_url: b.baseUrl })).tenant_id).toBe('acme');
});

test('a credential that is created once the others are copied, and sends a command, does not stop the move', async () => {
  await a.call('POST', 'platform/tenants', { tenant_id: 'growing', name: 'growing' });
  await a.newProfile('growing', 'integration_operator');
  const copying = await holdTable(b.postgres, 'credentials', 'share row exclusive', 'insert into "credentials"');
  const moving = runMove(a, b, ['growing', '--to-url', b.baseUrl]);
  await copying.untilWaitedFor();
  const later = await a.newProfile('growing', 'integration_operator', 'growing-later');
  const id = await newCommand(later, { ...lock, timeout_seconds: 1 });
  await copying.release();
  const { exitCode, stderr } = await moving;
  expect(exitCode, stderr).toBe(0);
  expect((await completed({ ...later, base_url: b.baseUrl }, id)).status).toBe('TIMED_OUT');
});

test('a command that is accepted while the tenant is copied is waited for before it closes, so it is closed for seconds', async () => {
  await a.call('POST', 'platform/tenants', { tenant_id: 'slow', name: 'slow' });
  const operator = await a.newProfile('slow', 'integration_operator');
  const connection = await connect({ servers: a.nats.url });
  atEnd(() => connection.close());
  const succeeded = (command_id: string) =>
    jetstream(connection).publish(
      'tenants.slow.command-updates.vendor_b',
      JSON.stringify({ command_id, device_execution_status: 'SUCCEEDED' }),
    );
  const first = await newCommand(operator, { ...lock, timeout_seconds: 300 });
  const moved = await runMove(
    a,
    b,
    ['slow', '--to-url', b.baseUrl],
    'the tenant is open: waiting for',
    async (said) => {
      const later = await newCommand(operator, { ...lock, timeout_seconds: 300 });
      const [command] = await a.owner`select deadline_at from commands where command_id = ${later}`;
      const waits = `the tenant is open: waiting for 1 open commands until ${command?.deadline_at.toISOString()}`;
      await succeeded(first);
      await vi.waitFor(() => expect(said()).toMatch(new RegExp(`${waits}|closed`)), soon);
      expect(said()).toContain(waits);
      expect((await a.call('GET', 'platform/tenants/slow')).status).toBe('ACTIVE');
      await succeeded(later);
    },
  );
  expect(moved.exitCode, moved.stderr).toBe(0);
  const [, seconds] = /503 for ([0-9.]+) seconds/.exec(moved.stdout) ?? [];
  expect(Number(seconds)).toBeLessThan(60);
});
