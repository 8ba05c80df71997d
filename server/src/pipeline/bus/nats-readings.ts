import { type ConsumerInfo, JetStreamApiError, type JetStreamManager, type MsgRequest } from '@nats-io/jetstream';
import { type Bus, countByTenant, UPDATES_OF_ALL_TENANTS } from './bus.js';

type Readings = Pick<
  Bus,
  'countCopiedDurables' | 'oldestUntaken' | 'lastUpdate' | 'commandReads' | 'fullness' | 'untakenUpdates'
>;

type Link = {
  manager: JetStreamManager;
  /** With a short timeout. */
  probing: JetStreamManager;
  /** Throws while there is no connection: a call would wait for one. */
  requireConnection: () => void;
};

/** What the platform reads of its streams and durables. */
export const natsReadings = ({ manager, probing, requireConnection }: Link): Readings => ({
  async countCopiedDurables(stream) {
    requireConnection();
    const { config, state } = await probing.streams.info(stream);
    return config.num_replicas > 1 ? state.consumer_count : 0;
  },
  async oldestUntaken(subject) {
    requireConnection();
    // A work-queue stream keeps a message until it is acknowledged. The client's types lack this query of nats-server
    // 2.9.
    const query = { next_by_subj: subject } as unknown as MsgRequest;
    const oldest = await manager.streams.getMessage('TOP_UPDATES', query);
    return oldest && { seq: oldest.seq, sentAt: oldest.time };
  },
  async lastUpdate() {
    requireConnection();
    return (await probing.streams.info('TOP_UPDATES')).state.last_seq;
  },
  async commandReads(only) {
    requireConnection();
    const { consumers } = probing;
    const found = (name: string) => consumers.info('TOP_COMMANDS', name).catch(nullIfMissing);
    const infos = only ? await Promise.all(only.map(found)) : [];
    if (!only) for await (const info of consumers.list('TOP_COMMANDS')) infos.push(info);
    return new Map(infos.flatMap(readOf));
  },
  async fullness(stream) {
    requireConnection();
    const { state, config } = await probing.streams.info(stream);
    return state.bytes / config.max_bytes;
  },
  async untakenUpdates() {
    requireConnection();
    const { state } = await manager.streams.info('TOP_UPDATES', { subjects_filter: UPDATES_OF_ALL_TENANTS });
    return countByTenant(Object.entries(state.subjects ?? {}));
  },
});

export const nullIfMissing = (error: unknown): null => {
  if (error instanceof JetStreamApiError && error.status === 404) return null;
  throw error;
};

/** nats-server forgets the instant when it restarts. */
function readOf(info: ConsumerInfo | null): [string, Date | null][] {
  if (!info || (info.num_waiting === 0 && info.delivered.consumer_seq === 0)) return [];
  const { last_active } = info.delivered;
  return [[info.name, info.num_waiting > 0 ? new Date() : last_active ? new Date(last_active) : null]];
}
