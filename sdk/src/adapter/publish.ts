import { JetStreamApiError } from '@nats-io/jetstream';
import { headers, InvalidArgumentError } from '@nats-io/transport-node';
import { MESSAGE_TOO_LARGE } from '@tenant-open-platform/contract/bus-access';
import type { RuntimeAbortSignal } from '../runtime.js';
import type { Link } from './connect.js';
import { pause } from './pause.js';

export interface Message {
  subject: string;
  /**
   * Nats-Msg-Id: the stream drops a second message of the same id within 100 ms, whichever tenant it is from. So it
   * must be one that nobody else can know.
   */
  id: string;
  /** Asked at each attempt: what is true can have changed. */
  body: () => object;
  traceparent?: string | undefined;
}

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;

/**
 * Publishes a message until NATS has acknowledged it: through restarts, elections of a leader and full streams. Resolves
 * early if the signal is aborted. Rejects only if the message is too large.
 */
export async function publishUntilAcknowledged(
  link: Link,
  { subject, id: ownId, body, traceparent }: Message,
  onRetry: (error: unknown) => void,
  signal?: RuntimeAbortSignal,
): Promise<void> {
  let id = ownId;
  for (let attempt = 0; ; attempt += 1) {
    // The client would keep what it cannot send, and send every attempt after the outage.
    if (!link.isConnected) await link.connected(signal);
    if (signal?.aborted) return;
    try {
      const given = headers();
      if (traceparent) given.set('traceparent', traceparent);
      const { duplicate } = await link.client.publish(subject, JSON.stringify(body()), { msgID: id, headers: given });
      if (!duplicate || attempt > 0) return;
      // NATS has dropped it: another message had the id, or this one was published twice at once.
      id = crypto.randomUUID();
      continue;
    } catch (error) {
      if (isTooLarge(error)) throw error;
      if (signal?.aborted) return;
      onRetry(error);
    }
    const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt);
    await pause(longest * (0.5 + Math.random() / 2), signal);
  }
}

const isTooLarge = (error: unknown) =>
  error instanceof InvalidArgumentError || (error instanceof JetStreamApiError && error.code === MESSAGE_TOO_LARGE);
