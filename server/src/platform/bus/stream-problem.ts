import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { streamSubjects } from './bus.js';

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
      return `NATS answers, but JetStream does not for the stream ${name}`;
    }
  };
  const problems = await Promise.all(Object.keys(streamSubjects).map(problemOf));
  return problems.find((problem) => problem !== null) ?? null;
}
