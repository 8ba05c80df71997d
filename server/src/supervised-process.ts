import { type Config, readConfig } from './config.js';
import { peersByIpc, type Said } from './foundation/peers.js';
import { createLogger } from './foundation/telemetry/logger.js';
import { type Server, start } from './start.js';
import { stopAndExit } from './stop-and-exit.js';

/** Messages of the supervising process to one of its processes. */
export type ToSupervised = Said | { type: 'processes'; names: string[] } | { type: 'stop' };

/** Messages of a process to the supervising process. */
export type FromSupervised = Said | { type: 'ready'; server: Omit<Server, 'stop'> } | ({ type: 'failed' } & Explained);

/** Why a start failed: one line, or a defect of the platform. */
export type Explained = { problem: unknown; isTemporary: boolean };

const say = (message: FromSupervised, then = () => {}) => process.send?.(message, then);

/** Runs one of several processes. The supervising process tells it when to stop; a Ctrl-C reaches all processes. */
export async function runSupervised(name: string, explain: (error: unknown) => Explained): Promise<void> {
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
    server = await start(config, logger, { peers: peersByIpc(name), listens: config.ROLE === 'api' });
    logger.info({ pid: process.pid }, 'ready');
    const { stop: _, ...facts } = server;
    say({ type: 'ready', server: facts });
  } catch (error) {
    say({ type: 'failed', ...explain(error) }, () => process.exit(1));
  }
}
