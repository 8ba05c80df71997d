import { setTimeout as delay } from 'node:timers/promises';
import type { PrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import type { startPrometheus } from '@tenant-open-platform/testing/start-prometheus';
import connect from 'postgres';
import { afterAll, expect, test, vi } from 'vitest';

type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;
type Alert = { state: string; labels: { alertname: string }; annotations: { summary: string } };

/** Breaks something real. Returns how to repair it. */
type Begin = () => Promise<() => unknown>;
export type Fault = {
  fault: string;
  /** Within how many seconds each alert fires. */
  alerts: Record<string, number>;
  /** What goes on before and during the fault. It is not part of the times. */
  load?: Begin;
  begin: Begin;
};

const LOAD_BEFORE_MS = 5_000;

const seconds = (since: number) => Math.round((performance.now() - since) / 1_000);

/** One test for each fault: each of its alerts fires within so many seconds, and no longer fires after the repair. */
export function testFaults(prometheus: Prometheus, faults: Fault[]): void {
  const table: string[] = ['fault | alert | after s | it says | normal after s'];
  afterAll(() => console.log(table.join('\n')));
  const firing = async (name: string): Promise<Alert | undefined> =>
    (await prometheus.ask('alerts')).alerts.find(
      ({ state, labels }: Alert) => state === 'firing' && labels.alertname === name,
    );
  const untilQuiet = (name: string) =>
    vi.waitFor(async () => expect(await firing(name)).toBeUndefined(), { timeout: 200_000, interval: 250 });

  test.each(faults)(
    '$fault',
    async ({ fault, alerts, load, begin }) => {
      const names = Object.keys(alerts);
      await Promise.all(names.map(untilQuiet));
      const stopLoad = await load?.();
      if (load) await delay(LOAD_BEFORE_MS);
      const begunAt = performance.now();
      const repair = await begin();
      const untilFiring = async (name: string) => {
        const timeout = (alerts[name] as number) * 1_000;
        const found = async () => (await firing(name)) ?? Promise.reject(new Error(`${name} does not fire.`));
        const { annotations } = await vi.waitFor(found, { timeout, interval: 250 }).catch(async (error: unknown) => {
          const { alerts: seen } = await prometheus.ask('alerts');
          throw new Error(`${name}: ${JSON.stringify(seen)}`, { cause: error });
        });
        return { name, after: seconds(begunAt), says: annotations.summary };
      };
      const outcomes = await Promise.allSettled(names.map(untilFiring));
      const repairedAt = performance.now();
      await Promise.all([repair(), stopLoad?.()]);
      const rows = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      const untilNormal = async ({ name, after, says }: (typeof rows)[number]) => {
        await untilQuiet(name);
        table.push([fault, name, after, says, seconds(repairedAt)].join(' | '));
      };
      await Promise.all(rows.map(untilNormal));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
    400_000,
  );
}

/** Calls `act` every so many milliseconds, without waiting for it. Returns how to stop. */
export function repeat(everyMs: number, act: () => Promise<unknown>): () => Promise<void> {
  let isOver = false;
  const acting = (async () => {
    while (!isOver) {
      void act().catch(() => {});
      await delay(everyMs);
    }
  })();
  return async () => {
    isOver = true;
    await acting;
  };
}

/** Locks a table against all. Returns how to unlock it. */
export async function lockTable({ superuserUrl }: PrivatePostgres, table: string): Promise<() => Promise<void>> {
  const superuser = connect(superuserUrl, { max: 1, onnotice: () => {} });
  const session = await superuser.reserve();
  await session`begin`;
  await session.unsafe(`lock table ${table} in access exclusive mode`);
  return async () => {
    await session`rollback`;
    session.release();
    await superuser.end();
  };
}

/** Stops these processes where they are. Returns how to let them go on. */
export async function freeze(...pids: number[]): Promise<() => void> {
  const wake = () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return wake;
}
