import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Authenticator,
  AuthorizationError,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { connectionOptions } from '@tenant-open-platform/contract/bus-access';
import { StartupError } from '../../foundation/startup-error.js';

export type NatsOptions = {
  /** nats:// or tls:// URLs of one cluster, separated by commas. */
  url: string;
  credsFile?: string | undefined;
  nkeySeedFile?: string | undefined;
  /** The server must carry bodies of this size. */
  largestBodyBytes?: number;
  /** The copies of each stream; absent: three on a cluster. */
  replicas?: number | undefined;
  startWithinMs?: number;
};

const START_WITHIN_MS = 15_000;
const ATTEMPT_MS = 2_000;
const RETRY_AFTER_MS = 250;

/** Waits a bounded time for the first connection; from then on it reconnects forever. */
export async function connectToNats(options: NatsOptions): Promise<NatsConnection> {
  const urls = options.url.split(',').map((url) => new URL(url.trim()));
  const authenticator = await authenticatorOf(options, urls);
  const settings: ConnectionOptions = {
    name: 'tenant-open-platform',
    servers: urls.map(({ host }) => host),
    ...(authenticator && { authenticator }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    timeout: ATTEMPT_MS,
    ...connectionOptions,
  };
  const until = performance.now() + (options.startWithinMs ?? START_WITHIN_MS);
  for (;;) {
    try {
      return await connect(settings);
    } catch (error) {
      const hosts = urls.map(({ host }) => host).join(', ');
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof AuthorizationError)
        throw new StartupError(`NATS at ${hosts} refuses the platform: ${reason}.`);
      if (performance.now() > until) {
        throw new StartupError(`NATS does not answer at ${hosts}: ${reason}.`, { isTemporary: true });
      }
      await delay(RETRY_AFTER_MS);
    }
  }
}

/** Credentials come from the first URL or from a file. */
async function authenticatorOf(
  { credsFile, nkeySeedFile }: NatsOptions,
  [url]: readonly URL[],
): Promise<Authenticator | undefined> {
  if (credsFile !== undefined) return credsAuthenticator(await readSecretFile('NATS_CREDS_FILE', credsFile));
  if (nkeySeedFile !== undefined) {
    const seed = (await readSecretFile('NATS_NKEY_SEED_FILE', nkeySeedFile)).toString('utf8').trim();
    return nkeyAuthenticator(new TextEncoder().encode(seed));
  }
  if (!url || url.username === '') return undefined;
  return usernamePasswordAuthenticator(decodeURIComponent(url.username), decodeURIComponent(url.password));
}

const readSecretFile = (variable: string, path: string) =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`${variable} ${path} cannot be read (${error.code}).`);
  });
