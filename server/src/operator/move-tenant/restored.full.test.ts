import { atEnd } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { move, type PostgresCell, runMove, startCell } from '../../../test/support/cells.js';
import { completed, newCommand } from '../../../test/support/commands.js';
import { openSession } from '../../../test/support/open-pool.js';

/** What happens if a database goes back in the middle of a move. */
const [a, b] = await Promise.all([startCell({ SIMULATED_FLEET: 'true' }), startCell()]);
const to = ['--to-url', b.baseUrl];
const soon = { timeout: 60_000, interval: 50 };

async function newTenant(tenantId: string): Promise<void> {
  await a.call('POST', 'platform/tenants', { tenant_id: tenantId, name: tenantId });
  const operator = await a.newProfile(tenantId, 'integration_operator');
  for (let count = 0; count < 3; count++) await completed(operator, await newCommand(operator));
}

/** The database of a cell as it is now, for the command alone: the node goes on with the other one. */
async function copyOf({ postgres, environment }: PostgresCell) {
  await postgres.suspend();
  const copy = await postgres.startCopy();
  atEnd(copy.stop);
  await postgres.resume();
  const owner = openSession(copy.superuserUrl);
  const count = async (table: string, tenantId: string) =>
    (await owner.unsafe(`select count(*)::int as count from ${table} where tenant_id = '${tenantId}'`))[0]?.count;
  return {
    environment: { ...environment, DATABASE_URL: copy.url },
    owner,
    superuserUrl: copy.superuserUrl,
    count,
    stepOf: async (tenantId: string) =>
      (await owner`select move ->> 'step' as step from tenants where tenant_id = ${tenantId}`)[0]?.step,
    statusOf: async (tenantId: string) =>
      (await owner`select status from tenants where tenant_id = ${tenantId}`)[0]?.status,
  };
}

const statusIn = async ({ call }: PostgresCell, tenantId: string) =>
  (await call('GET', `platform/tenants/${tenantId}`)).status;

test('a target that has lost rows gets them again before it is opened', async () => {
  await newTenant('lost');
  await runMove(a, b, ['lost', ...to], 'rows of commands');
  const restored = await copyOf(b);
  await b.owner.unsafe(`
    create function keep_closed() returns trigger language plpgsql as 'begin raise exception ''not now''; end';
    create trigger keep_closed before update on tenants for each row
    when (new.tenant_id = 'lost' and new.status = 'ACTIVE') execute function keep_closed()`);
  const stopped = await runMove(a, b, ['lost', ...to]);
  expect([stopped.exitCode, stopped.stderr]).toEqual([1, expect.stringContaining('switching')]);
  const moved = await runMove(a, restored, ['lost', ...to]);
  expect([moved.exitCode, moved.stdout]).toEqual([0, expect.stringContaining('has moved')]);
  expect([await restored.count('commands', 'lost'), await restored.count('events', 'lost')]).toEqual([3, 6]);
  expect(await restored.statusOf('lost')).toBe('ACTIVE');
}, 180_000);

test('a source that went back into a move that has ended is not opened: the move is ended again', async () => {
  await newTenant('ended');
  await runMove(a, b, ['ended', ...to], 'nothing is under way');
  const restored = await copyOf(a);
  await move(a, b, 'ended');
  const undone = await runMove(restored, b, ['ended', '--undo']);
  expect([undone.exitCode, undone.stderr]).toEqual([
    1,
    expect.stringContaining('The tenant has arrived in the target'),
  ]);
  expect([await restored.statusOf('ended'), await statusIn(b, 'ended')]).toEqual(['MOVING', 'ACTIVE']);
  expect(await restored.stepOf('ended')).toBe('COPYING');
  const again = await runMove(restored, b, ['ended', ...to]);
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('has moved')]);
  expect([await restored.statusOf('ended'), await statusIn(b, 'ended')]).toEqual(['MOVED', 'ACTIVE']);
}, 180_000);

test('a source that went back into a move that has ended is not opened, also if the tenant has moved on and its own log is deleted', async () => {
  const c = await startCell();
  await newTenant('onward');
  await runMove(a, b, ['onward', ...to], 'nothing is under way');
  const restored = await copyOf(a);
  await move(a, b, 'onward');
  await move(b, c, 'onward');
  const deletion = async () => (await b.call('GET', 'platform/tenants/onward')).deletion.finished_at;
  await vi.waitFor(async () => expect(await deletion()).not.toBeNull(), soon);

  const undone = await runMove(restored, b, ['onward', '--undo']);
  expect([undone.exitCode, undone.stderr]).toEqual([
    1,
    expect.stringContaining('The tenant has arrived in the target'),
  ]);
  expect([await restored.statusOf('onward'), await statusIn(c, 'onward')]).toEqual(['MOVING', 'ACTIVE']);
  expect((await runMove(restored, b, ['onward', ...to])).exitCode).toBe(0);
  const states = [await restored.statusOf('onward'), await statusIn(b, 'onward'), await statusIn(c, 'onward')];
  expect(states).toEqual(['MOVED', 'MOVED', 'ACTIVE']);
}, 180_000);

test('a source whose tenant has moved says so only if the target knows it', async () => {
  await newTenant('forgotten');
  const restored = await copyOf(b);
  await move(a, b, 'forgotten');
  expect(await runMove(a, b, ['forgotten', ...to])).toMatchObject({
    exitCode: 0,
    stdout: `The tenant has moved to ${b.baseUrl}.\n`,
  });
  for (const args of [to, [...to, '--plan']]) {
    expect(await runMove(a, restored, ['forgotten', ...args])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The source says that the tenant has moved to .*, and this target does not know it/,
      ),
    });
  }
}, 180_000);

test('what is said of an undone move is true of the target: there was nothing to delete', async () => {
  await newTenant('unreserved');
  const restored = await copyOf(b);
  await runMove(a, b, ['unreserved', ...to], 'nothing is under way');
  const undone = await runMove(a, restored, ['unreserved', '--undo']);
  expect([undone.exitCode, undone.stdout.trim()]).toEqual([
    0,
    'unreserved is open again. The target has nothing of this move.',
  ]);
  const rest = await runMove(a, b, ['unreserved', '--undo']);
  expect([rest.exitCode, rest.stdout]).toEqual([0, expect.stringContaining('The target deletes')]);
}, 180_000);

test('a source that went back is not opened if its move ends while it is undone', async () => {
  await newTenant('both');
  await runMove(a, b, ['both', ...to], 'nothing is under way');
  const restored = await copyOf(a);
  const session = openSession(restored.superuserUrl);
  await session`begin`;
  await session`select from tenants where tenant_id = 'both' for update`;
  const undoing = runMove(restored, b, ['both', '--undo']);
  await vi.waitFor(async () => {
    const waiting = await restored.owner`
      select from pg_stat_activity where wait_event_type = 'Lock' and query like '%update tenants set move%'`;
    expect(waiting).toHaveLength(1);
  }, soon);
  // As the last step of the original does.
  await b.owner`
    insert into audit_events (tenant_id, audit_event_id, client_id, operation, target, changes, outcome, request_id)
    select 'platform', gen_random_uuid(), 'move-tenant', 'moveTenant.arrive', 'platform/tenants/both', '{}', 'DONE', move ->> 'id'
    from tenants where tenant_id = 'both'`;
  await b.owner`update tenants set status = 'ACTIVE', move = null where tenant_id = 'both'`;
  await session`commit`;
  const { exitCode, stderr } = await undoing;
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The tenant has arrived in the target')]);
  expect([await restored.statusOf('both'), await statusIn(b, 'both')]).toEqual(['MOVING', 'ACTIVE']);
}, 180_000);

test('a source that went back to before the move gives back what was reserved in the target', async () => {
  await newTenant('before');
  const restored = await copyOf(a);
  await runMove(a, b, ['before', ...to], 'rows of commands');
  const other = await startCell();
  await other.call('POST', 'platform/tenants', { tenant_id: 'before', name: 'before' });
  const notItsOwn = await runMove(other, b, ['before', '--undo']);
  expect([notItsOwn.exitCode, notItsOwn.stdout.trim()]).toEqual([0, 'before is not moving.']);
  expect(await statusIn(b, 'before')).toBe('MOVING');
  const undone = await runMove(restored, b, ['before', '--undo']);
  expect([undone.exitCode, undone.stdout]).toEqual([0, expect.stringContaining('The target deletes')]);
  await vi.waitFor(async () => expect(await statusIn(b, 'before')).toBe('DELETED'), soon);
  expect(await restored.statusOf('before')).toBe('ACTIVE');
  const twice = await runMove(restored, b, ['before', '--undo']);
  expect([twice.exitCode, twice.stdout.trim()]).toEqual([0, 'before is not moving.']);
}, 180_000);
