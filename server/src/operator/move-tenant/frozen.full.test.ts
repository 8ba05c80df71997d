import { expect, test } from 'vitest';
import { move, runMove, startCell } from '../../../test/support/cells.js';
import { newCommand } from '../../../test/support/commands.js';
import { holdLock, holdTable, untilWaiting } from '../../../test/support/hold-table.js';

/** What a command does that stood still while something else happened. */
const [a, b] = await Promise.all([startCell(), startCell()]);
const to = ['--to-url', b.baseUrl];
const FROZEN = 'nothing is under way';

async function newTenant(tenantId: string) {
  await a.call('POST', 'platform/tenants', { tenant_id: tenantId, name: tenantId });
  return a.newProfile(tenantId, 'integration_operator');
}

const hold = (table: string, mode: string, statement: string) => holdTable(b.postgres, table, mode, statement);
const reserving = () => hold('tenants', 'share row exclusive', 'insert into "tenants"');
const checkingNames = () => hold('taken_names', 'access exclusive', 'join taken_names as taken');
const copyingTheLog = () => hold('audit_events', 'share row exclusive', 'insert into "audit_events"');
/** The source cannot note the next step. */
const advancing = (id: string) =>
  holdLock(a.postgres, `select from tenants where tenant_id = '${id}' for update`, 'update tenants set move');
const stepIn = async ({ owner }: typeof a, id: string) =>
  (await owner`select move ->> 'step' as step from tenants where tenant_id = ${id}`)[0]?.step;

/** A command that waits in the target. It reserves twice: while the tenant is open, and once it is closed. */
async function frozenWhenClosed(id: string) {
  const open = await reserving();
  const run = runMove(a, b, [id, ...to]);
  await open.untilWaitedFor();
  const closed = reserving();
  await untilWaiting(b.postgres, 'lock table tenants');
  await open.release();
  const held = await closed;
  await held.untilWaitedFor();
  return { run, held };
}

test.each([
  ['while it reserved the target', false],
  ['once it had reserved the target', true],
])('a command that was frozen %s, and whose move was undone meanwhile, changes nothing more', async (_, isReserved) => {
  const id = `frozen-${isReserved}`;
  await a.call('POST', 'platform/tenants', { tenant_id: id, name: id });
  let { run, held } = await frozenWhenClosed(id);
  if (isReserved) {
    const next = await checkingNames();
    await held.release();
    await next.untilWaitedFor();
    held = next;
  }
  await a.owner`update tenants set move = move || '{"step": "UNDOING"}' where tenant_id = ${id}`;
  await held.release();
  const { exitCode, stderr } = await run;
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The move was undone meanwhile.')]);
  expect(stderr).not.toContain(FROZEN);
  const statusIn = async (cell: typeof a) => (await cell.call('GET', `platform/tenants/${id}`)).status;
  // It gives back what it has reserved after the move was undone.
  if (!isReserved) expect(await statusIn(b)).toMatch(/^DELET/);
  expect((await runMove(a, b, [id, '--undo'])).exitCode).toBe(0);
  expect([await statusIn(a), await statusIn(b)]).toEqual(['ACTIVE', expect.stringMatching(/^DELET/)]);
});

test('a command that was frozen while it copied, and whose move was undone meanwhile, writes nothing more', async () => {
  await newTenant('overtaken');
  const reserved = await reserving();
  const run = runMove(a, b, ['overtaken', ...to]);
  await reserved.untilWaitedFor();
  const next = hold('tenants', 'exclusive', 'for share');
  await untilWaiting(b.postgres, 'lock table tenants');
  await reserved.release();
  const copying = await next;
  await copying.untilWaitedFor();
  await copying.change(`update tenants set move = move || '{"id": "another"}' where tenant_id = 'overtaken'`);
  await copying.release();
  const { exitCode, stderr } = await run;
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The target has no such move any more')]);
  expect(await b.owner`select from credentials where tenant_id = 'overtaken'`).toHaveLength(0);
});

test('a target that has another history since its copy was verified is not opened before it was verified again', async () => {
  await newTenant('rewound');
  const held = await copyingTheLog();
  const { exitCode, stderr } = await runMove(a, b, ['rewound', ...to], FROZEN, async () => {
    await held.untilWaitedFor();
    const switching = await advancing('rewound');
    await held.release();
    await switching.untilWaitedFor();
    await b.owner`select from begin_generation_v1('OPERATOR', null)`;
    await switching.release();
  });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('The database of the target was restarted or restored'),
  ]);
  expect([await stepIn(a, 'rewound'), await stepIn(b, 'rewound')]).toEqual(['SWITCHING', 'ARRIVING']);
  await move(a, b, 'rewound');
  expect((await b.call('GET', 'platform/tenants/rewound')).status).toBe('ACTIVE');
});

test('a source that was restored while its tenant was copied is compared again, as a whole', async () => {
  await newTenant('restored');
  const held = await copyingTheLog();
  const { exitCode, stderr } = await runMove(a, b, ['restored', ...to], FROZEN, async () => {
    await held.untilWaitedFor();
    await a.owner`select from begin_generation_v1('OPERATOR', null)`;
    await held.release();
  });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('or the database was restarted')]);
  expect([await stepIn(a, 'restored'), await stepIn(b, 'restored')]).toEqual(['COPYING', 'ARRIVING']);
  await move(a, b, 'restored');
  expect((await b.call('GET', 'platform/tenants/restored')).status).toBe('ACTIVE');
});

test('a request that was admitted late, after nothing was under way any more, ends the move', async () => {
  const operator = await newTenant('late');
  await newCommand(operator, { vendor: 'vendor_b', command_type: 'lock', timeout_seconds: 1 });
  const { run, held } = await frozenWhenClosed('late');
  const copying = await advancing('late');
  await held.release();
  await copying.untilWaitedFor();
  await a.owner`
    update commands set completed_at = null, deadline_at = now() + interval '1 hour' where tenant_id = 'late'`;
  await copying.release();
  const { exitCode, stderr } = await run;
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('A request was admitted late.')]);
  expect(stderr).not.toContain(FROZEN);
  expect((await runMove(a, b, ['late', '--undo'])).exitCode).toBe(0);
  expect((await a.call('GET', 'platform/tenants/late')).status).toBe('ACTIVE');
});
