import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { vi } from 'vitest';

export type Broker = {
  port: number;
  /** Stops it as an operator does. */
  suspend: () => Promise<void>;
  resume: () => Promise<void>;
  stop: () => Promise<void>;
};

export const passwords = {
  'mqtt-adapter': 'adapter-secret',
  'demo/lamp-7': 'lamp-7-secret',
  'demo/lamp-8': 'lamp-8-secret',
} as const;

const file = (name: string) => join(import.meta.dirname, name);

/** nats-server with the configuration of the guide, on other ports. */
export async function startNatsBroker() {
  const port = await freePort();
  const configuration = readFileSync(file('nats.conf'), 'utf8')
    .replace(/^(listen|jetstream).*$/gm, '')
    .replace('127.0.0.1:1883', `127.0.0.1:${port}`)
    .replace('include devices.conf', readFileSync(file('devices.conf'), 'utf8'));
  const nats = await startPrivateNats(configuration);
  return { ...nats, port };
}

/** Debian installs it in a folder that is only in root's path. */
const mosquitto = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto'].find(existsSync) ?? 'mosquitto';

/** mosquitto with the configuration of the guide, on another port. Its file of rights and its users may be others. */
export async function startMosquitto(
  acl = file('mosquitto.acl'),
  users: Record<string, string> = passwords,
): Promise<Broker> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'top-mosquitto-'));
  const passwordFile = join(folder, 'passwords');
  writeFileSync(passwordFile, '', { mode: 0o600 });
  for (const [user, password] of Object.entries(users)) {
    await promisify(execFile)('mosquitto_passwd', ['-b', passwordFile, user, password]);
  }
  const configuration = readFileSync(file('mosquitto.conf'), 'utf8')
    .replace('listener 1883', `listener ${port}`)
    .replace('data/mosquitto.passwords', passwordFile)
    .replace('examples/mqtt-adapter/mosquitto.acl', acl)
    .replace('persistence_location data/', `persistence_location ${folder}/`);
  // Started by root, it would become a user who cannot read the folder.
  writeFileSync(join(folder, 'mosquitto.conf'), `${configuration}user ${userInfo().username}\n`);

  async function launch() {
    const process_ = spawn(mosquitto, ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' });
    const kill = () => process_.kill('SIGKILL');
    process.once('exit', kill);
    const exited = once(process_, 'exit').finally(() => process.off('exit', kill));
    const listening = vi.waitFor(
      async () => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect').finally(() => socket.destroy());
      },
      { timeout: 90_000, interval: 20 },
    );
    const ended = exited.then(() => Promise.reject(new Error('mosquitto ended')));
    ended.catch(() => {});
    await Promise.race([listening, ended]);
    return async () => {
      process_.kill('SIGTERM');
      await exited;
    };
  }
  let suspend = await launch();
  return {
    port,
    suspend: () => suspend(),
    resume: async () => {
      suspend = await launch();
    },
    stop: async () => {
      await suspend();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
