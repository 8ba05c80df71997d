import { randomUUID } from 'node:crypto';
import { type Answer, type Profile, signedRequest } from '@tenant-open-platform/testing';

export type Sent = {
  kind: 'write' | 'read' | 'forged';
  idempotencyKey: string;
  /** Null where the connection ended without an answer. */
  answer: Answer | null;
  milliseconds: number;
};

export type Load = {
  sent: Sent[];
  /** Resolves once this many answers for which `counts` holds have come since the call. */
  seen(count: number, counts: (sent: Sent) => boolean): Promise<void>;
  /** Resolves when every request under way has its answer. */
  stop(): Promise<Sent[]>;
};

const WRITERS = 12;
const READERS = 4;

const commandsTarget = '/api/v1/open/downlink/commands';

/** Creates commands, reads, and tries forged signatures, all at once and without pause. */
export function startLoad(profile: Profile, node: string): Load {
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
      // A server that is gone refuses within microseconds.
      if (answer === null) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const write = (key: string) =>
    signedRequest(profile, 'POST', commandsTarget, {
      node,
      body: { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {}, idempotency_key: key },
    });
  const read = () => signedRequest(profile, 'GET', `${commandsTarget}?limit=1`, { node });
  const forge = () => signedRequest({ ...profile, secret: 'osk_wrong' }, 'GET', '/api/v1/open/me', { node });
  const working = Promise.all([
    ...Array.from({ length: WRITERS }, () => send('write', write)),
    ...Array.from({ length: READERS }, () => send('read', read)),
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

export const isAccepted = ({ kind, answer }: Sent) => kind === 'write' && answer?.status === 202;
export const isRead = ({ kind, answer }: Sent) => kind === 'read' && answer?.status === 200;
