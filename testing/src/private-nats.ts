import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.js';
import { freePort } from './free-port.js';

/** Debian installs it in a folder that is only in root's path. NATS_SERVER chooses another version. */
export const natsServer =
  process.env.NATS_SERVER ||
  (['/usr/sbin/nats-server', '/usr/local/bin/nats-server'].find(existsSync) ?? 'nats-server');

export type PrivateNats = {
  url: string;
  pid: () => number;
  /** Stops the server as an operator does. Its streams stay. */
  suspend: () => Promise<void>;
  resume: () => Promise<void>;
  /** Replaces the part of the configuration that was given at the start, and resolves when it is active. */
  reconfigure: (configuration: string) => Promise<void>;
  /** Starts the server again with this part of the configuration. */
  restart: (configuration: string) => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * A private nats-server with JetStream in a temporary folder. `configuration` is added to port and storage. A late one
 * starts with `resume`.
 */
export async function startPrivateNats(
  configuration = '',
  { isLate = false, disk = tmpdir() } = {},
): Promise<PrivateNats> {
  const folder = mkdtempSync(join(disk, 'top-nats-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const port = await freePort();
  const file = join(folder, 'nats.conf');
  // `configuration` may replace the key `jetstream`.
  const always = `listen: "127.0.0.1:${port}"\nstore_dir: "${join(folder, 'data')}"\njetstream: enabled`;
  const configure = (text: string) => writeFileSync(file, `${always}\n${text}\n`);
  configure(configuration);
  const launch = () => launchServer(file, removeFolder);
  let server = isLate
    ? NOT_STARTED
    : await launch().catch((error: unknown) => {
        removeFolder();
        throw error;
      });
  return {
    url: `nats://127.0.0.1:${port}`,
    pid: () => server.pid,
    suspend: () => server.stop(),
    resume: async () => {
      server = await launch();
    },
    reconfigure: (text) => {
      configure(text);
      return server.reload();
    },
    restart: async (text) => {
      await server.stop();
      configure(text);
      server = await launch();
    },
    stop: async () => {
      await server.stop();
      removeFolder();
    },
  };
}

/** A private nats-server of the calling test or file. See `atEnd`. */
export async function ownNats(configuration?: string, options?: { disk?: string }): Promise<PrivateNats> {
  const server = await startPrivateNats(configuration, options);
  atEnd(server.stop);
  return server;
}

const STOPS_WITHIN_MS = 15_000;

const NOT_STARTED = { pid: 0, reload: async () => {}, stop: async () => {} };

/**
 * Three servers that keep copies of streams for each other. Each has its name in the cluster. The last of them may be
 * late: the cluster does not know it before its start.
 */
export async function startNatsCluster({ isLastLate = false } = {}): Promise<(PrivateNats & { name: string })[]> {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  return Promise.all(
    ports.map(async (port, index) => {
      const name = `nats-${index + 1}`;
      const isLate = isLastLate && index === ports.length - 1;
      const known = isLastLate && !isLate ? ports.slice(0, -1) : ports;
      const routes = known.map((other) => `nats://127.0.0.1:${other}`).join(', ');
      const clustered = `cluster { name: test, listen: "127.0.0.1:${port}", routes: [${routes}] }`;
      return { ...(await startPrivateNats(`server_name: ${name}\n${clustered}`, { isLate })), name };
    }),
  );
}

/** Resolves when the server accepts connections. */
async function launchServer(file: string, abandoned: () => void) {
  const nats = spawn(natsServer, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const abandon = () => {
    nats.kill('SIGKILL');
    abandoned();
  };
  process.once('exit', abandon);
  const exited = exitOf(nats).finally(() => process.off('exit', abandon));
  let log = '';
  nats.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-10_000);
  });
  const logged = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!log.includes(wanted)) return;
        nats.stderr.off('data', look);
        resolve();
      };
      nats.stderr.on('data', look);
      void exited.then(() => reject(new Error(`nats-server ended.\n${log}`)));
    });
  await logged('Server is ready');
  return {
    pid: nats.pid ?? 0,
    reload: () => {
      log = '';
      nats.kill('SIGHUP');
      return logged('Reloaded server configuration');
    },
    stop: async () => {
      nats.kill('SIGTERM');
      // Version 2.9 may not stop after its disk was full.
      const impatience = setTimeout(() => nats.kill('SIGKILL'), STOPS_WITHIN_MS);
      await exited;
      clearTimeout(impatience);
    },
  };
}

async function exitOf(nats: ChildProcess): Promise<void> {
  try {
    await once(nats, 'exit');
  } catch (error) {
    throw new Error('nats-server is not installed: apt-get install nats-server', { cause: error });
  }
}
