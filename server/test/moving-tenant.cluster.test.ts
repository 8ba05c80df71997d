import { expect, test, vi } from 'vitest';
import type { PostgresCell } from './support/cells.js';
import { ALL_FORMS, STEPS, startMovingTenant } from './support/moving-tenant.js';
import { ID_OF_N, multiply } from './support/multiply.js';

const MOVES = 20;
const COMMANDS = 1_000;
const soon = { timeout: 60_000, interval: 50 };

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

const MOST_SECONDS = 3;
const SIZES = (process.env.KEPT_COMMANDS ?? '20000,1000000').split(',').map(Number);

test.each(SIZES)(
  'a tenant that works and has %i commands moves with at most 3 seconds of refusals, and what was promised holds',
  async (kept) => {
    const tenant = await startMovingTenant({ perSecond: 15, form: 'Postgres', hasNeighbours: true });
    const [a, b] = tenant.cells as unknown as [PostgresCell, PostgresCell];
    const ended = { command_id: ID_OF_N, idempotency_key: `'key-' || n` };
    const like = "tenant_id = 'acme' and status = 'SUCCEEDED'";
    await vi.waitFor(
      async () => expect(await a.owner.unsafe(`select from commands where ${like}`)).not.toEqual([]),
      soon,
    );
    await multiply(a.owner, 'commands', kept, ended, like);
    // Below 0, as after a move: so many are not published first.
    await a.owner.unsafe(`
      insert into events (tenant_id, command_id, event_type, event_id, seq, logged_at) overriding system value
      select 'acme', ${ID_OF_N}, type::event_type, gen_random_uuid(), place - 2 * n, now()
      from generate_series(1, ${kept}) as n,
        (values ('command.accepted', 0), ('command.completed', 1)) as types (type, place)`);
    const startedAt = performance.now();
    const seconds = await tenant.moveAtOnce();
    const whole = ((performance.now() - startedAt) / 1_000).toFixed(0);
    console.log(`${kept} commands: ${seconds.toFixed(1)} s of refusals, ${whole} s in all`);
    expect(seconds).toBeLessThanOrEqual(MOST_SECONDS);
    const [stored] = await b.owner`select count(*)::int as count from commands where tenant_id = 'acme'`;
    expect(stored?.count).toBeGreaterThan(kept);
    // What was added has no caller.
    const added = "select command_id from commands where tenant_id = 'acme' and idempotency_key like 'key-%'";
    await b.owner.unsafe(`delete from events where tenant_id = 'acme' and command_id in (${added})`);
    await b.owner.unsafe(`delete from commands where tenant_id = 'acme' and command_id in (${added})`);
    await tenant.check();
  },
  1_800_000,
);
