import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { FromPart, ToPart } from './part.js';
import type { Said } from './platform/processes/peers-by-ipc.js';
import { StartupError } from './platform/startup-error.js';
import type { Server } from './start.js';

type Part = {
  name: string;
  role: 'api' | 'worker';
  worker: Worker | null;
  exited: Promise<{ code: number | null; signal: string | null }>;
};

/** The variable that tells a process which part it is. */
export const PART = 'TENANT_OPEN_PLATFORM_PART';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** After a life of this length a process is started again without a longer delay. */
const LONG_LIFE_MS = 60_000;
/** The platform ends when one of its processes fails to start this often in a row. */
const MAX_FAILED_STARTS = 5;

/**
 * Runs the platform as several processes: `WORKERS` of them answer requests on one port, and one carries commands. This
 * process opens no database and answers no request. It hands out connections, passes on what the others say to each
 * other, and starts those again that end.
 */
export async function supervise(config: Config, logger: Logger): Promise<Server> {
  const parts = Array.from({ length: config.WORKERS }, (_, index) => newPart(`api-${index + 1}`, 'api'));
  if (config.ROLE === 'all') parts.push(newPart('carrier', 'worker'));
  let isStopping = false;
  // JSON has no NaN, which is the value of a metric that could not be read.
  cluster.setupPrimary({ serialization: 'advanced' });
  // A process whose event loop hangs does not notice that this one has ended.
  process.once('exit', () => {
    for (const { worker } of parts) worker?.process.kill('SIGKILL');
  });

  /** Answers whether there was a process to take it. */
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
    // A message to a process that is about to end. Its end is noticed.
    worker.on('error', () => {});
    let problem: unknown = `The process ${part.name} ended before it was ready.`;
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromPart) => {
        if (message.type === 'said') passOn(message);
        if (message.type === 'failed') problem = message.problem;
        if (message.type !== 'ready') return;
        // Not earlier: what is sent while the process loads its modules is lost.
        send(worker, isStopping ? { type: 'stop' } : { type: 'parts', names: parts.map(({ name }) => name) });
        resolve(message.server);
      });
      void part.exited.then(() => reject(new StartupError(typeof problem === 'string' ? problem : inspect(problem))));
    });
  }

  /** Starts a process again each time that it ends. */
  async function keep(part: Part): Promise<void> {
    let delayMs = FIRST_DELAY_MS;
    for (let failedStarts = 0; failedStarts < MAX_FAILED_STARTS; ) {
      const readyAt = performance.now();
      const end = await part.exited;
      if (isStopping) return;
      logger.error({ process: part.name, ...end }, 'a process of the platform ended; it is started again');
      if (performance.now() - readyAt > LONG_LIFE_MS) delayMs = FIRST_DELAY_MS;
      await delay(delayMs);
      delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS);
      if (isStopping) return;
      failedStarts = await begin(part).then(
        () => 0,
        ({ message }: StartupError) => {
          logger.error({ process: part.name, reason: message }, 'a process of the platform did not start');
          return failedStarts + 1;
        },
      );
    }
    logger.fatal({ process: part.name }, 'a process of the platform does not start any more; all others end');
    await stop().catch(() => {});
    process.exit(1);
  }

  async function stop(): Promise<void> {
    isStopping = true;
    const ends = parts.map(async ({ worker, exited }) => send(worker, { type: 'stop' }) && (await exited).code !== 0);
    if ((await Promise.all(ends)).includes(true)) throw new Error('A process of the platform did not stop cleanly.');
  }

  // The first one applies migrations, makes the first credentials, and says alone what keeps all of them from starting.
  const [first, ...others] = parts as [Part, ...Part[]];
  const server = await begin(first);
  await Promise.all(others.map(begin));
  for (const part of parts) void keep(part);
  return { ...server, stop };
}

const newPart = (name: string, role: Part['role']): Part => ({
  name,
  role,
  worker: null,
  exited: Promise.resolve({ code: null, signal: null }),
});
