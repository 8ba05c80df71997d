import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { createTurns } from '../../foundation/concurrency/turns.js';
import type { Durable, RefusedDurable, StreamName } from './bus.js';

/**
 * After so long without a sign of life of an adapter, another one gets its message: soon enough that a command of 30
 * seconds survives the end of its adapter. The kit gives a sign every two seconds.
 */
const ADAPTER_ACK_WAIT_MS = 6_000;

/** How many calls for durables NATS gets at a time. */
const AT_ONCE = 16;
/** Longer than 100,000 durables take. */
const LONGEST_MS = 20 * 60_000;
/** NATS lists 256 durables in an answer: fewer calls than one for each of 100,000. */
const WORTH_A_LIST = 16;

const configOf = ({ durable, subjects }: Durable, ackWaitMs: number) => ({
  durable_name: durable,
  ...(subjects?.length === 1
    ? { filter_subject: String(subjects[0]) }
    : subjects && { filter_subjects: [...subjects] }),
  deliver_policy: DeliverPolicy.All,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(ackWaitMs),
  // No limit: messages that wait for a retry count too, and must not block new ones.
  max_ack_pending: -1,
  max_deliver: -1,
});

/** Creates a durable, or corrects its settings. */
export async function ensureDurable(manager: JetStreamManager, durable: Durable, ackWaitMs: number) {
  const config = configOf(durable, ackWaitMs);
  try {
    return await manager.consumers.add(durable.stream, config);
  } catch (error) {
    // nats-server 2.9 updates an existing durable here, later versions refuse to.
    if (!(error instanceof JetStreamApiError) || error.code !== CONSUMER_ALREADY_EXISTS) throw error;
    return manager.consumers.update(durable.stream, durable.durable, config);
  }
}

/** JSConsumerAlreadyExists: the durable exists with different settings. */
const CONSUMER_ALREADY_EXISTS = 10_148;

/** Creates the durables that principals read. Rejects if JetStream does not answer or a stream is missing. */
export async function provideDurables(
  manager: JetStreamManager,
  wanted: readonly Durable[],
): Promise<RefusedDurable[]> {
  const missing = wanted.length < WORTH_A_LIST ? wanted : await withoutExisting(manager, wanted);
  const inTurn = createTurns({ atOnce: AT_ONCE, maxWaitMs: LONGEST_MS });
  const refused: RefusedDurable[] = [];
  const provide = (durable: Durable) =>
    ensureDurable(manager, durable, ADAPTER_ACK_WAIT_MS).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      refused.push({ durable, reason: error.message });
    });
  await Promise.all(missing.map((durable) => inTurn('', () => provide(durable))));
  return refused;
}

/** 503: JetStream or the stream elects its leader. */
const isRefusal = (error: unknown): error is JetStreamApiError =>
  error instanceof JetStreamApiError && error.status !== 503 && error.code !== JetStreamApiCodes.StreamNotFound;

async function withoutExisting({ consumers }: JetStreamManager, wanted: readonly Durable[]): Promise<Durable[]> {
  const existing = new Map<string, ConsumerInfo['config']>();
  for (const stream of new Set<StreamName>(wanted.map(({ stream }) => stream))) {
    for await (const { name, config } of consumers.list(stream)) existing.set(`${stream} ${name}`, config);
  }
  return wanted.filter((durable) => {
    const found = existing.get(`${durable.stream} ${durable.durable}`);
    const settings = Object.entries(configOf(durable, ADAPTER_ACK_WAIT_MS)) as [
      keyof ConsumerInfo['config'],
      unknown,
    ][];
    return !found || settings.some(([setting, value]) => String(found[setting]) !== String(value));
  });
}
