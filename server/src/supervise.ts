import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { Explained, FromPart, ToPart } from './part.js';
import type { Said } from './platform/processes/peers-by-ipc.js';
import { StartupError } from './platform/startup-error.js';
import type { Server } from './start.js';

type Part = {
  name: string;
  role: 'api' | 'worker';
  worker: Worker | null;
  exited: Promise<{ code: number | null; signal: string | null }>;
};

/** The environment variable that tells a process its part. */
export const PART = 'TENANT_OPEN_PLATFORM_PART';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** After running this long, a process is restarted without a longer delay. */
const LONG_LIFE_MS = 60_000;
/** The platform ends if one of its processes fails to start this often in a row, although Postgres and NATS answer. */
const MAX_FAILED_STARTS = 5;

/**
 * Runs the platform as several processes: `WORKERS` of them answer requests on one port, and one carries commands. This
 * process opens no database and answers no request. It opens the port for the others, forwards messages between the
 * processes, and restarts those that end.
 */
export async function supervise(config: Config, logger: Logger): Promise<Server> {
  const parts = Array.from({ length: config.WORKERS }, (_, index) => newPart(`api-${index + 1}`, 'api'));
  if (config.ROLE === 'all') parts.push(newPart('carrier', 'worker'));
  let isStopping = false;
  // Each process accepts connections itself. With Node's round robin this process passes them on. It never closes those
  // that a killed process had not yet taken, so their clients would wait forever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // JSON has no NaN, which is the value of an unreadable metric.
  cluster.setupPrimary({ serialization: 'advanced' });
  // A process whose event loop hangs does not notice that this one has ended.
  process.once('exit', () => {
    for (const { worker } of parts) worker?.process.kill('SIGKILL');
  });

  /** Returns whether there was a process to receive it. */
  function send(worker: Worker | null, message: ToPart): boolean {
    if (!worker?.isConnected()) return false;
    worker.send(message);
    return true;
  }

  function passOn(said: Said): void {
    for (const { name, worker } of parts) {
      if (name === said.from || (said.to ?? name) !== name || send(worker, said)) continue;
      if ('question' in said) {
        passOn({ type: 'said', from: name, to: said.from, answered: said.id, content: undefined });
      }
    }
  }

  /** Starts a process and resolves when it is ready. */
  function begin(part: Part): Promise<Omit<Server, 'stop'>> {
    const worker = cluster.fork({ [PART]: part.name, ROLE: part.role, WORKERS: '' });
    part.worker = worker;
    part.exited = new Promise((resolve) => {
      worker.once('exit', (code, signal) => {
        part.worker = null;
        resolve({ code, signal });
      });
    });
    // The process is about to end. Its end is handled elsewhere.
    worker.on('error', () => {});
    let failure: Explained = { problem: `The process ${part.name} ended before it was ready.`, isTemporary: false };
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromPart) => {
        if (message.type === 'said') passOn(message);
        if (message.type === 'failed') failure = message;
        if (message.type !== 'ready') return;
        // Not earlier: messages sent while the process loads its modules are lost.
        send(worker, isStopping ? { type: 'stop' } : { type: 'parts', names: parts.map(({ name }) => name) });
        resolve(message.server);
      });
      void part.exited.then(() => {
        const { problem, isTemporary } = failure;
        reject(new StartupError(typeof problem === 'string' ? problem : inspect(problem), { isTemporary }));
      });
    });
  }

  const logFailedStart = ({ name }: Part, { message }: StartupError) =>
    logger.error({ process: name, reason: message }, 'a process of the platform did not start');

  /**
   * Restarts a process whenever it ends. A start that finds Postgres or NATS out of service is repeated as often as
   * needed: the other processes still answer requests.
   */
  async function keep(part: Part): Promise<void> {
    let delayMs = FIRST_DELAY_MS;
    for (let failedStarts = 0; failedStarts < MAX_FAILED_STARTS; ) {
      const readyAt = performance.now();
      const end = await part.exited;
      if (isStopping) return;
      logger.error({ process: part.name, ...end }, 'a process of the platform ended and is restarted');
      if (performance.now() - readyAt > LONG_LIFE_MS) delayMs = FIRST_DELAY_MS;
      await delay(delayMs);
      delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS);
      if (isStopping) return;
      failedStarts = await begin(part).then(
        () => 0,
        (error: StartupError) => {
          logFailedStart(part, error);
          return error.isTemporary ? failedStarts : failedStarts + 1;
        },
      );
    }
    logger.fatal({ process: part.name }, 'a process of the platform can no longer start; all processes end');
    await stop().catch(() => {});
    process.exit(1);
  }

  async function stop(): Promise<void> {
    isStopping = true;
    const ends = parts.map(async ({ worker, exited }) => send(worker, { type: 'stop' }) && (await exited).code !== 0);
    if ((await Promise.all(ends)).includes(true)) throw new Error('A process of the platform did not stop cleanly.');
  }

  // The first process applies migrations, creates the first credentials, and alone reports a problem that keeps all
  // from starting.
  const [first, ...others] = parts as [Part, ...Part[]];
  const server = await begin(first);
  const beginOrRetryLater = (part: Part) =>
    begin(part).catch((error: StartupError) => {
      if (!error.isTemporary) throw error;
      logFailedStart(part, error);
    });
  await Promise.all(others.map(beginOrRetryLater));
  for (const part of parts) void keep(part);
  return { ...server, stop };
}

const newPart = (name: string, role: Part['role']): Part => ({
  name,
  role,
  worker: null,
  exited: Promise.resolve({ code: null, signal: null }),
});
