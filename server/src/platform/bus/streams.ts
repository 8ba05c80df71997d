import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { StartupError } from '../startup-error.js';
import { type StreamName, streamSubjects } from './bus.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A relay that was down this long repeats what it published, and nothing comes twice. */
const DUPLICATE_WINDOW_MS = 10 * MINUTE_MS;
/**
 * The shortest that NATS has. The ids of updates are the adapters': in a longer window one of a tenant's would have NATS
 * swallow another tenant's message. The platform itself takes an update and a request once.
 */
const SHORTEST_WINDOW_MS = 100;

/**
 * How long a message is kept. A command is worth nothing after its deadline, which is 5 minutes off at most, nor a reply
 * after its device stopped waiting, within a day. Updates go when the platform took them; the rest is for those that were
 * down.
 */
const maxAgeMs: Record<StreamName, number> = {
  TOP_COMMANDS: DUPLICATE_WINDOW_MS,
  TOP_REPLIES: 25 * HOUR_MS,
  TOP_UPDATES: 7 * 24 * HOUR_MS,
  TOP_EVENTS: 7 * 24 * HOUR_MS,
};

/** What the platform relies on. Everything else of a stream, such as its replicas, is the operator's. */
const ownedConfig = (name: StreamName) =>
  ({
    subjects: [...streamSubjects[name]],
    storage: StorageType.File,
    retention: name === 'TOP_UPDATES' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(maxAgeMs[name]),
    duplicate_window: nanos(name === 'TOP_UPDATES' ? SHORTEST_WINDOW_MS : DUPLICATE_WINDOW_MS),
  }) satisfies Partial<StreamConfig>;

/** Creates the streams, and puts right what somebody changed; answers whether one was missing. */
export async function ensureStreams(manager: JetStreamManager): Promise<boolean> {
  let wasMissing = false;
  for (const name of Object.keys(streamSubjects) as StreamName[]) {
    try {
      if (await ensureStream(manager, name)) wasMissing = true;
    } catch (error) {
      // 503: the stream's leader is being elected.
      if (!(error instanceof JetStreamApiError) || error.status === 503) throw error;
      throw new StartupError(`NATS refuses the stream ${name}: ${error.message}.`);
    }
  }
  return wasMissing;
}

async function ensureStream({ streams }: JetStreamManager, name: StreamName): Promise<boolean> {
  const owned = ownedConfig(name);
  const found = await streams.info(name).catch((error: unknown): StreamInfo | null => {
    if (error instanceof JetStreamApiError && error.status === 404) return null;
    throw error;
  });
  if (!found) {
    await streams.add({ name, ...owned });
    return true;
  }
  for (const setting of ['storage', 'retention'] as const) {
    if (found.config[setting] === owned[setting]) continue;
    throw new StartupError(
      `The stream ${name} on NATS has ${setting} ${found.config[setting]} where the platform needs ${owned[setting]}, and NATS cannot change it: delete the stream, or give the platform an account of its own.`,
    );
  }
  const settings = Object.keys(owned) as (keyof typeof owned)[];
  const differs = settings.some((setting) => String(found.config[setting]) !== String(owned[setting]));
  if (differs) await streams.update(name, owned);
  return false;
}
