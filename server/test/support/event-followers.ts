import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { isApiError, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { atEnd, type Profile } from '@tenant-open-platform/testing';

/** The ids of the events that it has read, in order. */
export type Follower = { seen: string[] };

/** Reads all events over HTTP, with the SDK. See `atEnd`. */
export function followOverHttp({ base_url: baseUrl, client_id: clientId, secret }: Profile): Follower & {
  /** What `onRestored` was called with. */
  restoredAt: Set<string>;
  /** The codes with which the platform has refused it. */
  refusals: string[];
  /** Why the loop has ended. */
  ended: () => unknown;
} {
  const refusals: string[] = [];
  const hooks = {
    onRetry: ({ error }: { error: unknown }) => void (isApiError(error) && refusals.push(error.code)),
  };
  const client = new TenantOpenPlatform({ baseUrl, clientId, secret, hooks });
  const leaving = new AbortController();
  const seen: string[] = [];
  const restoredAt = new Set<string>();
  let ended: unknown = null;
  const options = { from: 'beginning', signal: leaving.signal, onRestored: (at: string) => void restoredAt.add(at) };
  const reading = (async () => {
    for await (const { event_id } of client.events.follow(options)) seen.push(event_id);
  })().catch((error: unknown) => {
    ended = error;
  });
  atEnd(async () => {
    leaving.abort();
    await reading;
  });
  return { seen, restoredAt, refusals, ended: () => ended };
}

/** Reads all events of all tenants over NATS, in the order of the stream. See `atEnd`. `histories`: of their headers. */
export async function followOverBus(natsUrl: string): Promise<Follower & { histories: Set<string> }> {
  const connection = await connect({ servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  atEnd(() => connection.close());
  const seen: string[] = [];
  const histories = new Set<string>();
  const messages = await (await jetstream(connection).consumers.get('TOP_EVENTS')).consume();
  void (async () => {
    for await (const message of messages) {
      seen.push(message.json<{ event_id: string }>().event_id);
      histories.add(message.headers?.get('History') ?? 'none');
    }
  })().catch(() => {});
  return { seen, histories };
}
