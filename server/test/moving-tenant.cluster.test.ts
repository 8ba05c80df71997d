import { expect, test, vi } from 'vitest';
import { move, startCell } from './support/cells.js';
import { completed, newCommand } from './support/commands.js';
import { ALL_FORMS, STEPS, startMovingTenant } from './support/moving-tenant.js';
import { ID_OF_N, multiply } from './support/multiply.js';
import { storedWork } from './support/stored.js';

const MOVES = 20;
const COMMANDS = 1_000;

test.each(ALL_FORMS)(
  'on %s a tenant moves twenty times while a thousand commands are under way, each time killed at other steps: what was promised holds',
  async (form) => {
    const tenant = await startMovingTenant({ perSecond: 15, form, hasNeighbours: true });
    for (let round = 0; round < MOVES; round++) {
      const step = STEPS[round % STEPS.length] as string;
      await tenant.moveWithKills(round % 4 === 0 ? STEPS : [step]);
    }
    await tenant.accepts(COMMANDS);
    await tenant.check();
  },
  1_200_000,
);

const LARGE = 100_000;

test('the seconds of 503 of a tenant with 100,000 commands', async () => {
  const [a, b] = await Promise.all([startCell(), startCell()]);
  await a.call('POST', 'platform/tenants', { tenant_id: 'acme', name: 'Acme' });
  const operator = await a.newProfile('acme', 'integration_operator');
  await completed(operator, await newCommand(operator, { timeout_seconds: 1 }));
  const ended = { command_id: ID_OF_N, idempotency_key: `'key-' || n` };
  await multiply(a.owner, 'commands', LARGE, ended, "tenant_id = 'acme'");
  for (const type of ['command.accepted', 'command.completed']) {
    const event = { command_id: ID_OF_N, event_type: `'${type}'`, event_id: 'gen_random_uuid()' };
    await multiply(a.owner, 'events', LARGE, event, "tenant_id = 'acme'");
  }
  const nothing = { commands: 0, outbox: 0, unpublished_events: 0 };
  await vi.waitFor(async () => expect(await storedWork(a.postgres.url)).toEqual(nothing), {
    timeout: 60_000,
    interval: 500,
  });
  const { stdout } = await move(a, b, 'acme');
  const [, seconds] = /503 for ([0-9.]+) seconds/.exec(stdout) ?? [];
  console.log(`${LARGE} commands: ${seconds} s of 503`);
  const [stored] = await b.owner`select count(*)::int as count from commands where tenant_id = 'acme'`;
  expect(stored?.count).toBe(LARGE + 1);
}, 300_000);
