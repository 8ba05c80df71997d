import { expect, vi } from 'vitest';
import { openSession } from './open-pool.js';

type Postgres = { superuserUrl: string };

/** Until a statement that contains this text waits for a table. */
export async function untilWaiting({ superuserUrl }: Postgres, statement: string): Promise<void> {
  const session = openSession(superuserUrl, { max: 1 });
  await vi.waitFor(
    async () => {
      const waiting = await session`
        select from pg_stat_activity where wait_event = 'relation' and query like ${`%${statement}%`}
          and pid <> pg_backend_pid()`;
      expect(waiting).toHaveLength(1);
    },
    { timeout: 50_000, interval: 50 },
  );
  await session.end();
}

/** Locks a table. In this mode, what is tested waits for it in this statement. */
export async function holdTable(postgres: Postgres, table: string, mode: string, statement: string) {
  const session = openSession(postgres.superuserUrl, { max: 1 });
  await session.unsafe(`begin; lock table ${table} in ${mode} mode`);
  return { release: () => session.unsafe('commit'), untilWaitedFor: () => untilWaiting(postgres, statement) };
}
