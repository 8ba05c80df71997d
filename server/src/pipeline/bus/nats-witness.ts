import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Bus } from './bus.js';
import { nullIfMissing } from './nats-readings.js';
import { WITNESS_STREAM, WITNESS_SUBJECT } from './streams.js';

type Link = { probing: JetStreamManager; client: JetStreamClient; requireConnection: () => void };

/** The one message of its stream. */
export const natsWitness = ({ probing, client, requireConnection }: Link): Bus['witness'] => ({
  async read() {
    requireConnection();
    const last = await probing.streams
      .getMessage(WITNESS_STREAM, { last_by_subj: WITNESS_SUBJECT })
      .catch(nullIfMissing);
    return last?.string() ?? null;
  },
  async write(text) {
    requireConnection();
    await client.publish(WITNESS_SUBJECT, text);
  },
});
