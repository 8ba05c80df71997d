import { expect, vi } from 'vitest';
import { openSession } from './open-pool.js';

type Postgres = { superuserUrl: string };

/** Until a statement that contains this text waits for a lock. */
export async function untilWaiting({ superuserUrl }: Postgres, statement: string): Promise<void> {
  const session = openSession(superuserUrl, { max: 1 });
  await vi.waitFor(
    async () => {
      const waiting = await session`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like ${`%${statement}%`}`;
      expect(waiting).toHaveLength(1);
    },
    { timeout: 50_000, interval: 50 },
  );
  await session.end();
}

/** Takes a lock. What is tested waits for it in this statement. */
export async function holdLock(postgres: Postgres, lock: string, statement: string) {
  const session = openSession(postgres.superuserUrl, { max: 1 });
  await session.unsafe(`begin; ${lock}`);
  return {
    /** What is changed shows with the release. */
    change: (text: string) => session.unsafe(text),
    release: () => session.unsafe('commit'),
    untilWaitedFor: () => untilWaiting(postgres, statement),
  };
}

export const holdTable = (postgres: Postgres, table: string, mode: string, statement: string) =>
  holdLock(postgres, `lock table ${table} in ${mode} mode`, statement);
