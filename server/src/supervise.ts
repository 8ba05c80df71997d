import cluster, { type Worker as Fork } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config.js';
import { createPeers, type Said } from './foundation/peers.js';
import { StartupError } from './foundation/startup-error.js';
import { createLogger } from './foundation/telemetry/logger.js';
import { type Server, start, stopAndExit } from './start.js';

type End = { code: number | null; signal: string | null };

/** One of the processes. A restart gives it a new fork. */
type Supervised = { name: string; fork: Fork | null; exited: Promise<End> };

/** Messages of the supervising process to one of its processes. */
type ToSupervised = Said | { type: 'stop' };

/** Messages of a process to the supervising process. */
type FromSupervised =
  | Said
  | { type: 'ready'; server: Omit<Server, 'stop'> }
  | { type: 'failed'; message: string; isTemporary: boolean };

/** The environment variable that tells a supervised process its name. */
export const PROCESS_NAME = 'TENANT_OPEN_PLATFORM_PROCESS';

const RESTART_AFTER_MS = 1_000;
/** The platform ends if one of its processes fails to start this often in a row, although Postgres and NATS answer. */
const MAX_FAILED_STARTS = 5;

/**
 * Runs `WORKERS` processes that answer requests on one port, and one worker. This process opens no database. It opens
 * the port for the others, forwards messages between them, and restarts those that end.
 */
export async function supervise(config: Config, logger: Logger): Promise<Server> {
  const names = Array.from({ length: config.WORKERS }, (_, index) => `api-${index + 1}`);
  if (config.ROLE === 'all') names.push('worker');
  const exited = Promise.resolve({ code: null, signal: null });
  const processes = names.map((name): Supervised => ({ name, fork: null, exited }));
  let isStopping = false;
  // Each process accepts connections itself. With Node's round robin this process passes them on. It never closes those
  // that a killed process had not yet taken, so their clients would wait forever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // JSON has no NaN, which is the value of an unreadable metric.
  cluster.setupPrimary({ serialization: 'advanced' });
  // A process whose event loop hangs does not notice that this one has ended.
  process.once('exit', () => {
    for (const { fork } of processes) fork?.process.kill('SIGKILL');
  });

  /** Returns whether there was a process to receive it. */
  function send(fork: Fork | null, message: ToSupervised): boolean {
    if (!fork?.isConnected()) return false;
    fork.send(message);
    return true;
  }

  function passOn(said: Said): void {
    for (const { name, fork } of processes) {
      if (name === said.from || (said.to ?? name) !== name || send(fork, said) || !said.answerTo) continue;
      passOn({ type: 'said', from: name, to: said.from, topic: said.answerTo });
    }
  }

  /** Starts a process and resolves when it is ready. */
  function begin(supervised: Supervised): Promise<Omit<Server, 'stop'>> {
    const { name } = supervised;
    const role = name === 'worker' ? 'worker' : 'api';
    const fork = cluster.fork({ [PROCESS_NAME]: name, ROLE: role, WORKERS: '' });
    supervised.fork = fork;
    let failure = new StartupError(`The process ${name} ended before it was ready.`);
    supervised.exited = new Promise((resolve) => {
      const end = (code: End['code'], signal: End['signal']) => {
        supervised.fork = null;
        resolve({ code, signal });
      };
      fork.once('exit', end);
      fork.on('error', ({ message }) => {
        // The process exists, and 'exit' will follow.
        if (fork.process.pid !== undefined) return;
        // The system could not create it, for example for lack of memory. Node emits no 'exit' for it.
        failure = new StartupError(`The process ${name} could not be created: ${message}`, { isTemporary: true });
        end(null, null);
      });
    });
    return new Promise((resolve, reject) => {
      fork.on('message', (message: FromSupervised) => {
        if (message.type === 'said') passOn(message);
        if (message.type === 'failed') failure = new StartupError(message.message, message);
        if (message.type !== 'ready') return;
        // Not earlier: messages sent while the process loads its modules are lost.
        send(fork, isStopping ? { type: 'stop' } : { type: 'said', from: '', topic: 'processes', content: names });
        resolve(message.server);
      });
      void supervised.exited.then(() => reject(failure));
    });
  }

  const logFailedStart = ({ name }: Supervised, { message }: StartupError) =>
    logger.error({ process: name, reason: message }, 'a process of the platform did not start');

  /** Restarts a process whenever it ends; as often as needed while Postgres or NATS cannot be used. */
  async function keep(supervised: Supervised): Promise<void> {
    for (let failedStarts = 0; failedStarts < MAX_FAILED_STARTS; ) {
      const end = await supervised.exited;
      if (isStopping) return;
      logger.error({ process: supervised.name, ...end }, 'a process of the platform ended and is restarted');
      await delay(RESTART_AFTER_MS);
      if (isStopping) return;
      failedStarts = await begin(supervised).then(
        () => 0,
        (error: StartupError) => {
          logFailedStart(supervised, error);
          return error.isTemporary ? failedStarts : failedStarts + 1;
        },
      );
    }
    logger.fatal({ process: supervised.name }, 'a process of the platform can no longer start; all processes end');
    await stop().catch(() => {});
    process.exit(1);
  }

  async function stop(): Promise<void> {
    isStopping = true;
    const ends = processes.map(async ({ fork, exited }) => send(fork, { type: 'stop' }) && (await exited).code !== 0);
    if ((await Promise.all(ends)).includes(true)) throw new Error('A process of the platform did not stop cleanly.');
  }

  // The first process applies migrations, creates the first credentials, and alone reports a problem that keeps all
  // from starting.
  const [first, ...others] = processes as [Supervised, ...Supervised[]];
  const server = await begin(first);
  const beginOrRetryLater = (supervised: Supervised) =>
    begin(supervised).catch((error: StartupError) => {
      if (!error.isTemporary) throw error;
      logFailedStart(supervised, error);
    });
  await Promise.all(others.map(beginOrRetryLater));
  for (const supervised of processes) void keep(supervised);
  return { ...server, stop };
}

const say = (message: FromSupervised, then = () => {}) => process.send?.(message, then);

/** Runs one of several processes. The supervising process tells it when to stop; a Ctrl-C reaches all processes. */
export async function runSupervised(name: string, explain: (error: unknown) => StartupError): Promise<void> {
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  let server: Server | null = null;
  try {
    const config: Config = readConfig(process.env);
    const logger = createLogger(config.LOG_LEVEL).child({ process: name });
    process.on('message', ({ type }: ToSupervised) => {
      if (type !== 'stop') return;
      if (server) stopAndExit(server, logger);
      else process.exit(0);
    });
    server = await start(config, logger, { peers: createPeers(name), listens: config.ROLE === 'api' });
    logger.info({ pid: process.pid }, 'ready');
    const { stop: _, ...facts } = server;
    say({ type: 'ready', server: facts });
  } catch (error) {
    const { message, isTemporary } = explain(error);
    say({ type: 'failed', message, isTemporary }, () => process.exit(1));
  }
}
