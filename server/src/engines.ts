import type { Logger } from 'pino';
import type { Config } from './config.js';
import { openDatabase } from './foundation/database/database.js';
import { openKeyring } from './foundation/secrets/keyring.js';
import type { Bus } from './pipeline/bus/bus.js';
import { inProcessBus } from './pipeline/bus/in-process-bus.js';
import { natsBus } from './pipeline/bus/nats-bus.js';

export async function openStorage(config: Config) {
  const database = await openDatabase(config);
  try {
    return { database, keyring: await openKeyring(config, database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

export async function openBus(config: Config, logger: Logger): Promise<Bus> {
  if (!config.NATS_URL) return inProcessBus(config.DATA_DIR);
  const { NATS_CREDS_FILE: credsFile, NATS_NKEY_SEED_FILE: nkeySeedFile, NATS_REPLICAS: replicas } = config;
  const largestBodyBytes = config.PAYLOAD_LIMIT_BYTES + BESIDE_THE_PAYLOAD_BYTES;
  return natsBus({ url: config.NATS_URL, credsFile, nkeySeedFile, replicas, largestBodyBytes }, logger);
}

/** The most bytes of a message besides its payload or result. */
const BESIDE_THE_PAYLOAD_BYTES = 65_536;

export const simulatesDevices = ({ SIMULATED_FLEET, MODE, NATS_URL }: Config) =>
  SIMULATED_FLEET ?? (MODE === 'development' && !NATS_URL);

/** An IPv6 address in a URL needs brackets (RFC 3986, 3.2.2). */
export function baseUrlOf({ HOST, BASE_PATH = '' }: Pick<Config, 'HOST' | 'BASE_PATH'>, port: number): string {
  return `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}${BASE_PATH}`;
}
