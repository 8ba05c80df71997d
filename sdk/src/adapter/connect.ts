import { readFile } from 'node:fs/promises';
import { checkServerIdentity } from 'node:tls';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { fromSeed } from '@nats-io/nkeys';
import {
  AuthorizationError,
  type ConnectionOptions,
  connect,
  type NatsConnection,
  nkeyAuthenticator,
  PermissionViolationError,
} from '@nats-io/transport-node';
import { API_PREFIX, connectionOptions, inboxPrefix, tlsOptions } from '@tenant-open-platform/contract/bus-access';
import type { RuntimeAbortSignal } from '../runtime.js';
import { type AdapterEvent, type AdapterLog, seldom } from './events.js';
import { pause, until } from './pause.js';

export interface BusOptions {
  /** One or more servers of a NATS cluster: `nats://` or `tls://` URLs. */
  servers: string | readonly string[];
  /** The file with the seed of the principal. Leave out `seedFile` and `seed` if NATS has no accounts. */
  seedFile?: string | undefined;
  /** The seed itself; it begins with SU. */
  seed?: string | undefined;
  /** Certificates, if they are not those of the system. `tls://` needs no options. */
  tls?: AdapterTls | undefined;
  /**
   * A file of your own, for one process at a time. When the process stops, it writes there what has not begun, and the next
   * process starts that as new. Without the file, `redelivered` is true for it.
   */
  handOverFile?: string | undefined;
}

/** Certificates and keys as PEM, or the files that contain them. */
export interface AdapterTls {
  /** The authority that signed the server's certificate. */
  ca?: string | undefined;
  caFile?: string | undefined;
  /** The client's certificate and key, if the server asks for them. */
  cert?: string | undefined;
  certFile?: string | undefined;
  key?: string | undefined;
  keyFile?: string | undefined;
  /** TLS begins before the server says anything; nats-server has the setting `handshake_first`. */
  handshakeFirst?: boolean | undefined;
}

/** A connection that is made again whenever it is lost. */
export interface Link {
  readonly client: JetStreamClient;
  readonly isConnected: boolean;
  /** How often the connection has been made again. */
  readonly reconnects: number;
  /** The id of the server, which is another one after each of its starts. */
  readonly server: string | undefined;
  /** Of the server: `2.10.14`. */
  readonly version: string | undefined;
  /** Resolves when there is a connection, or as soon as the signal is aborted. */
  connected(signal?: RuntimeAbortSignal): Promise<void>;
  /** Called whenever the connection is lost. */
  onLost(tell: () => void): void;
  close(): Promise<void>;
}

const ATTEMPT_MS = 5_000;
const RETRY_MS = 1_000;
/** NATS acknowledges within milliseconds. A message that it has not acknowledged by then is published again. */
const ACK_WITHIN_MS = 2_000;
const CLOSE_WITHIN_MS = 2_000;

/** Waits for the first connection until the signal is aborted. Rejects then, or if NATS refuses the key. */
export async function connectToBus(
  options: BusOptions,
  name: string,
  log: AdapterLog,
  signal?: RuntimeAbortSignal,
): Promise<Link> {
  const servers = [options.servers].flat().flatMap((urls) => urls.split(','));
  const principal = await principalOf(options);
  const tls = options.tls ?? (servers.some((url) => url.trim().startsWith('tls://')) ? {} : undefined);
  const connection = await firstConnection(
    {
      name,
      servers: servers.map((url) => url.trim().replace(/^(nats|tls):\/\//, '')),
      ...principal?.connection,
      ...(tls && { tls: { ...tlsOptions(checkServerIdentity), ...tls } }),
      timeout: ATTEMPT_MS,
      ...connectionOptions,
    },
    log,
    principal !== undefined,
    signal,
  );
  let up = Promise.resolve();
  let reconnected = () => {};
  let isUp = true;
  let reconnects = 0;
  const losses: (() => void)[] = [];
  const complain = seldom(log);
  void follow();
  return {
    client: jetstream(connection, { timeout: ACK_WITHIN_MS, ...principal?.jetstream }),
    get isConnected() {
      return isUp;
    },
    get reconnects() {
      return reconnects;
    },
    get server() {
      return connection.info?.server_id;
    },
    get version() {
      return connection.info?.version;
    },
    connected: (signal) => until(up, signal),
    onLost: (tell) => void losses.push(tell),
    async close() {
      // A drain sends the last acknowledgements. It waits for a server that is away, and fails when it notices.
      const drained = connection.drain().catch(() => {});
      if (isUp) await Promise.race([drained, pause(CLOSE_WITHIN_MS)]);
      await connection.close();
    },
  };

  async function follow(): Promise<void> {
    for await (const status of connection.status()) {
      switch (status.type) {
        case 'disconnect':
          // While NATS refuses the key, each attempt is one more disconnect.
          if (isUp) {
            up = new Promise((resolve) => {
              reconnected = resolve;
            });
            log({
              level: 'warn',
              event: 'disconnected',
              message: `The connection to NATS at ${status.server} is lost.`,
            });
            for (const tell of losses) tell();
          }
          isUp = false;
          break;
        case 'reconnect':
          // After refusals the client reports as many reconnects at once.
          if (!isUp) log({ level: 'info', event: 'connected', message: `Connected to NATS at ${status.server}.` });
          isUp = true;
          reconnects += 1;
          reconnected();
          break;
        case 'error':
          complain(refusalOf(status.error));
      }
    }
  }
}

const REFUSES_KEY =
  'refuses the key. Is its public key registered as an active principal (topctl bus-principals list), and has NATS the configuration of topctl bus render-config?';

/** A vendor that the principal does not serve is the most frequent reason. */
function refusalOf(error: Error): AdapterEvent {
  const refused = { level: 'warn', event: 'not-readable' } as const;
  if (error instanceof AuthorizationError) return { ...refused, message: `NATS ${REFUSES_KEY}` };
  if (!(error instanceof PermissionViolationError)) return { ...refused, message: `NATS refuses: ${error.message}` };
  const verb = error.operation === 'publish' ? 'publish on' : 'read';
  return {
    ...refused,
    message: `NATS does not let this principal ${verb} ${error.subject}. Do the options tenantId and vendor name a tenant and a vendor that it serves (topctl bus-principals list), and has NATS the configuration of topctl bus render-config?`,
  };
}

/** Throws a TypeError if the file cannot be read, or if there is no seed in it. */
export async function principalOf({ seed, seedFile }: Omit<BusOptions, 'servers'>) {
  if (!seed && !seedFile) return undefined;
  const option = seed ? 'seed' : `seedFile ${seedFile}`;
  const text = seed || (await readFile(String(seedFile), 'utf8').catch((error: unknown) => refuseSeed(option, error)));
  try {
    return identityOf(text.trim());
  } catch (error) {
    return refuseSeed(option, error, 'It holds no seed of a user, which begins with SU.');
  }
}

function refuseSeed(option: string, cause: unknown, what?: string): never {
  const reason = what ?? (cause instanceof Error ? cause.message : String(cause));
  throw new TypeError(`serveVendor: ${option}: ${reason}`, { cause });
}

/**
 * The key proves the identity of the principal; its public half names the only inbox that it may read. Principals reach
 * the platform's JetStream under a prefix of its own.
 */
function identityOf(text: string) {
  const seed = new TextEncoder().encode(text);
  const inbox = inboxPrefix(fromSeed(seed).getPublicKey());
  return {
    connection: { authenticator: nkeyAuthenticator(seed), inboxPrefix: inbox },
    jetstream: { apiPrefix: API_PREFIX },
  };
}

async function firstConnection(
  options: ConnectionOptions,
  log: AdapterLog,
  hasSeed: boolean,
  signal?: RuntimeAbortSignal,
): Promise<NatsConnection> {
  const servers = String(options.servers);
  const complain = seldom(log);
  for (;;) {
    try {
      const connection = await connect(options);
      log({ level: 'info', event: 'connected', message: `Connected to NATS at ${connection.getServer()}.` });
      if (hasSeed && !connection.info?.auth_required) {
        // What follows there is a misleading `jetstream is not enabled`.
        log({
          level: 'warn',
          event: 'not-readable',
          message: `NATS at ${servers} asks for no key. Leave out seedFile and seed, or give NATS the configuration of topctl bus render-config.`,
        });
      }
      return connection;
    } catch (error) {
      if (error instanceof AuthorizationError && !hasSeed) {
        throw new Error(`NATS at ${servers} demands a key: give the option seedFile or seed.`, { cause: error });
      }
      if (error instanceof AuthorizationError) {
        throw new Error(`NATS at ${servers} ${REFUSES_KEY}`, { cause: error });
      }
      const reason = error instanceof Error ? error.message : String(error);
      complain({ level: 'warn', event: 'disconnected', message: `NATS does not answer at ${servers}: ${reason}.` });
      await pause(RETRY_MS, signal);
      if (signal?.aborted) throw error;
    }
  }
}
