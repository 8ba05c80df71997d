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
import { MAX_MESSAGE_BYTES } from '@tenant-open-platform/contract/bus';
import { StartupError } from '../../foundation/startup-error.js';
import { type StreamName, streamSubjects } from './bus.js';

/** It has one message: see witness.ts. */
export const WITNESS_STREAM = 'TOP_WITNESS';
export const WITNESS_SUBJECT = 'platform.witness';

const allSubjects = { ...streamSubjects, [WITNESS_STREAM]: [WITNESS_SUBJECT] };

type AnyStream = StreamName | typeof WITNESS_STREAM;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KIB = 1_024;
const MIB = 1_024 * KIB;

/** A relay that was down for this long publishes the same messages again, and the stream drops the duplicates. */
const DUPLICATE_WINDOW_MS = 10 * MINUTE_MS;
/**
 * The shortest window that NATS allows. Adapters choose the ids of updates: in a longer window NATS would drop a
 * tenant's message because another tenant used the same id. The platform handles an update or a request only once.
 */
const SHORTEST_WINDOW_MS = 100;

/**
 * How long a message is kept. A command is useless after its deadline, at most 5 minutes later. A reply is useless once
 * its device has stopped waiting, within a day. Updates are deleted when the platform has handled them. All other
 * streams keep messages for readers that were down.
 */
const maxAgeMs: Record<AnyStream, number> = {
  TOP_COMMANDS: DUPLICATE_WINDOW_MS,
  TOP_REPLIES: 25 * HOUR_MS,
  TOP_UPDATES: 7 * 24 * HOUR_MS,
  TOP_EVENTS: 7 * 24 * HOUR_MS,
  // For ever.
  TOP_WITNESS: 0,
};

/** NATS also counts the headers, such as Nats-Msg-Id. */
const HEADERS_BYTES = 4 * KIB;
/** The largest PAYLOAD_LIMIT_BYTES plus the other fields of a message. */
const LARGEST_OWN_BYTES = MIB + 64 * KIB;

/**
 * How many bytes a stream keeps until an operator sets another limit. NATS reserves them on its disk. A full stream of
 * the platform's own messages drops its oldest, which were published long ago. A full TOP_UPDATES refuses new messages,
 * because the old ones are not handled yet.
 */
const defaultMaxBytes: Record<AnyStream, number> = {
  TOP_COMMANDS: 1_024 * MIB,
  TOP_REPLIES: 512 * MIB,
  TOP_UPDATES: 2_048 * MIB,
  TOP_EVENTS: 1_024 * MIB,
  TOP_WITNESS: MIB,
};

/**
 * How many updates of one tenant's adapter of one vendor may wait. NATS then refuses new ones of that adapter alone. At
 * their largest size they take a sixth of the stream.
 */
const MAX_UPDATES_PER_SUBJECT = 5_000;

/**
 * nats-server 2.15 lets a stream have at most 1,000 durables unless it names a number. An operator may set a lower one on
 * the stream.
 */
const MAX_DURABLES = 1_000_000;

/** Survives the loss of one server. */
const COPIES_ON_A_CLUSTER = 3;

/**
 * `replicas` is absent: three on a cluster. `canRaiseDurables`: from 2.14 on, the number of a stream can be changed.
 * Earlier versions need none: there -1 is no limit.
 */
export type Server = { isCluster: boolean; replicas?: number | undefined; canRaiseDurables: boolean };

/** The settings that the platform relies on. All other settings of a stream belong to the operator. */
const ownedConfig = (name: AnyStream) =>
  ({
    subjects: [...allSubjects[name]],
    storage: StorageType.File,
    max_age: nanos(maxAgeMs[name]),
    ...(name === 'TOP_UPDATES' ? ofAdapters : ofPlatform),
    ...(name === WITNESS_STREAM && { max_msgs_per_subject: 1, max_msg_size: -1 }),
  }) satisfies Partial<StreamConfig>;

const ofAdapters = {
  retention: RetentionPolicy.Workqueue,
  discard: DiscardPolicy.New,
  discard_new_per_subject: true,
  max_msgs_per_subject: MAX_UPDATES_PER_SUBJECT,
  max_msg_size: MAX_MESSAGE_BYTES + HEADERS_BYTES,
  duplicate_window: nanos(SHORTEST_WINDOW_MS),
};

const ofPlatform = {
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.Old,
  discard_new_per_subject: false,
  max_msgs_per_subject: -1,
  max_msg_size: LARGEST_OWN_BYTES + HEADERS_BYTES,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
};

/** Creates missing streams, corrects changed settings and adds missing copies. Returns whether a stream was missing. */
export async function ensureStreams(manager: JetStreamManager, server: Server): Promise<boolean> {
  let wasMissing = false;
  for (const name of Object.keys(allSubjects) as AnyStream[]) {
    try {
      if (await ensureStream(manager, name, server)) wasMissing = true;
    } catch (error) {
      // 503: the stream is electing its leader. A cluster that has just started may lack servers for the copies.
      if (!(error instanceof JetStreamApiError) || error.status === 503 || error.code === NO_PEERS) throw error;
      const hint = error.code === NO_SPACE ? ` ${SPACE}` : '';
      throw new StartupError(`NATS refuses the stream ${name}: ${error.message}.${hint}`);
    }
  }
  return wasMissing;
}

async function ensureStream(
  { streams }: JetStreamManager,
  name: AnyStream,
  { isCluster, replicas, canRaiseDurables }: Server,
) {
  const owned = ownedConfig(name);
  const found = await streams.info(name).catch((error: unknown): StreamInfo | null => {
    if (error instanceof JetStreamApiError && error.status === 404) return null;
    throw error;
  });
  const present = found?.config.num_replicas ?? 1;
  const num_replicas = replicas ?? (isCluster ? Math.max(present, COPIES_ON_A_CLUSTER) : present);
  /** Without NATS_REPLICAS, a cluster that has no room for three copies at the moment keeps fewer. */
  const store = (save: (config: { num_replicas: number }) => Promise<unknown>) =>
    save({ num_replicas }).catch((error: unknown) => {
      if (replicas !== undefined || !(error instanceof JetStreamApiError) || error.code !== NO_PEERS) throw error;
      return save({ num_replicas: present });
    });
  if (!found) {
    const limits = { max_bytes: defaultMaxBytes[name], max_consumers: MAX_DURABLES };
    await store((config) => streams.add({ name, ...owned, ...config, ...limits }));
    return true;
  }
  for (const setting of ['storage', 'retention'] as const) {
    if (found.config[setting] === owned[setting]) continue;
    throw new StartupError(
      `The stream ${name} on NATS has ${setting} ${found.config[setting]} where the platform needs ${owned[setting]}, and NATS cannot change it: delete the stream, or give the platform an account of its own.`,
    );
  }
  const wanted = {
    ...owned,
    num_replicas,
    // -1: created without a limit.
    ...(found.config.max_bytes === -1 && { max_bytes: defaultMaxBytes[name] }),
    ...(found.config.max_consumers === -1 && canRaiseDurables && { max_consumers: MAX_DURABLES }),
  };
  const settings = Object.keys(wanted) as (keyof typeof wanted)[];
  const differs = settings.some((setting) => String(found.config[setting] ?? false) !== String(wanted[setting]));
  if (differs) await store((config) => streams.update(name, { ...wanted, ...config }));
  return false;
}

/** JSStorageResourcesExceededErr. */
const NO_SPACE = 10_047;
const SPACE =
  'The four streams need 4.5 GiB of disk in all; on a smaller one, create them with smaller limits first: docs/nats.md#streams.';

/** JSClusterNoPeersErr: too few servers of the cluster are up and have room. */
const NO_PEERS = 10_005;

/** The copies of a stream report to its leader every second. A leader notices the loss of most of them after 10. */
const SILENT_AFTER_MS = 5_000;

/** How many streams have one copy: on a cluster, the loss of its server stops them. */
export async function countSingleCopies({ streams }: JetStreamManager): Promise<number> {
  const infos = await Promise.all(Object.keys(streamSubjects).map((name) => streams.info(name)));
  return infos.filter(({ config }) => config.num_replicas === 1).length;
}

/** Why a stream stores no messages at the moment; null if all do. The next message recreates a missing one. */
export async function streamProblem({ streams }: JetStreamManager): Promise<string | null> {
  const problemOf = async (name: string): Promise<string | null> => {
    try {
      const { cluster } = await streams.info(name);
      if (!cluster) return null;
      const { leader, replicas = [] } = cluster;
      if (!leader) return `the stream ${name} has no leader on NATS`;
      const silent = replicas.filter(({ active }) => active > nanos(SILENT_AFTER_MS)).length;
      return 2 * silent > replicas.length ? `most copies of the stream ${name} on NATS are lost` : null;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === 404) return null;
      return `NATS answers, but JetStream does not for the stream ${name}; after a full disk, restart nats-server`;
    }
  };
  const problems = await Promise.all(Object.keys(streamSubjects).map(problemOf));
  return problems.find((problem) => problem !== null) ?? null;
}
