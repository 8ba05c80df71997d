import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { COMMANDS } from './commands.js';

export type Sent = {
  kind: 'write' | 'read' | 'forged';
  idempotencyKey: string;
  /** Null if the connection ended without an answer. */
  answer: Answer | null;
  milliseconds: number;
};

export type Load = {
  sent: Sent[];
  /** Resolves once this many answers for which `counts` is true have arrived since the call. */
  seen(count: number, counts: (sent: Sent) => boolean): Promise<void>;
  /** Resolves when every request in progress is answered. */
  stop(): Promise<Sent[]>;
};

type LoadOptions = {
  writers?: number;
  readers?: number;
  /** How long each of them pauses between two requests. */
  restMs?: number;
  /** Fields of the next command. */
  command?: () => object;
};

/** Without a listener, a connection is refused within microseconds. */
const GONE_MS = 100;

/** Creates commands, reads and sends forged signatures, all at once, to the node that `node` returns at the time. */
export function startLoad(
  profile: Profile,
  node: () => string,
  { writers = 12, readers = 4, restMs = 0, command = () => ({}) }: LoadOptions = {},
): Load {
  const sent: Sent[] = [];
  const watchers = new Set<(sent: Sent) => void>();
  let stopped = false;

  async function send(kind: Sent['kind'], request: (key: string) => Promise<Answer>): Promise<void> {
    while (!stopped) {
      const idempotencyKey = randomUUID();
      const startedAt = performance.now();
      const answer = await request(idempotencyKey).catch(() => null);
      const done: Sent = { kind, idempotencyKey, answer, milliseconds: performance.now() - startedAt };
      sent.push(done);
      for (const watch of watchers) watch(done);
      if (answer === null || restMs > 0) await delay(answer === null ? GONE_MS : restMs);
    }
  }

  const write = (key: string) =>
    signedRequest(profile, 'POST', COMMANDS, {
      node: node(),
      body: {
        vendor: 'vendor_a',
        device_id: 'd-1',
        command_type: 'reboot',
        payload: {},
        idempotency_key: key,
        ...command(),
      },
    });
  const read = () => signedRequest(profile, 'GET', `${COMMANDS}?limit=1`, { node: node() });
  const forge = () => signedRequest({ ...profile, secret: 'osk_wrong' }, 'GET', '/api/v1/open/me', { node: node() });
  const working = Promise.all([
    ...Array.from({ length: writers }, () => send('write', write)),
    ...Array.from({ length: readers }, () => send('read', read)),
    send('forged', forge),
  ]);

  return {
    sent,
    seen: (count, counts) =>
      new Promise((resolve) => {
        let left = count;
        const watch = (done: Sent) => {
          if (!counts(done) || --left > 0) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
      }),
    async stop() {
      stopped = true;
      await working;
      return sent;
    },
  };
}

/** While the machine stalls, the server refuses some requests with 503, after 5 seconds at the earliest. */
export const isStalled = ({ answer, milliseconds }: Pick<Sent, 'answer' | 'milliseconds'>) =>
  answer?.status === 503 && milliseconds >= 5_000;
export const isAccepted = ({ kind, answer }: Sent) => kind === 'write' && answer?.status === 202;
export const isRead = ({ kind, answer }: Sent) => kind === 'read' && answer?.status === 200;
