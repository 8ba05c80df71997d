import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ApiError } from '../foundation/api-error.js';
import { createPlaces } from '../foundation/concurrency/limits-per-key.js';
import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { createWaker, type Signals } from '../foundation/signals/signals.js';

/** How long a change may go unnoticed if its signal was lost: while signals arrive, and while they do not. */
const LOOK_OUT_MS = { min: 10_000, max: 15_000 };
const LOOK_OUT_WITHOUT_SIGNALS_MS = 2_000;

/** The shortest interval between two reads after signals. It grows with the requests for the same topic. */
const BETWEEN_LOOKS_MS = 200;
const BETWEEN_LOOKS_OF_A_TOPIC_MS = 4;

type Options = {
  signals: Signals;
  database: Database;
  /** The most requests of a tenant that may wait in this process. */
  perTenant: number;
  logger: Logger;
};

type LongPoll<Found> = {
  call: { tenantId: string; admittedAt: Date; onClosed: (stop: () => void) => void };
  topic: string;
  waitSeconds: number;
  /** Reads once. A waiting request holds no connection between two reads. */
  look: () => Promise<Found>;
  isEnough: (found: Found) => boolean;
};

/** Returns the last read once it is enough, the wait is over, the caller is gone, or the process stops. */
export type WaitFor = <Found>(poll: LongPoll<Found>) => Promise<Found>;

/**
 * A waiting request reads again after a signal of its topic. For lost signals, one statement polls the topics of all
 * waiting requests, and only requests whose topic has changed read again.
 */
export function createWaitFor({ signals, database, perTenant, logger }: Options): WaitFor {
  const sleepers = new Set<{ topic: string; lookedAt: number; wake: () => void }>();
  const places = createPlaces(perTenant);

  const lookOutIn = (milliseconds: number) => void setTimeout(() => void lookOut(), milliseconds).unref();
  lookOutIn(LOOK_OUT_WITHOUT_SIGNALS_MS);

  async function lookOut(): Promise<void> {
    if (signals.isClosed()) return;
    let isReceiving = false;
    try {
      if (sleepers.size > 0) await wakeWhereMissed();
      isReceiving = await signals.isReceiving();
    } catch (err) {
      if (!signals.isClosed()) logger.warn({ err }, 'Polling for lost signals failed. It will be retried.');
    }
    const { min, max } = LOOK_OUT_MS;
    lookOutIn(isReceiving ? min + Math.random() * (max - min) : LOOK_OUT_WITHOUT_SIGNALS_MS);
  }

  async function wakeWhereMissed(): Promise<void> {
    const changes = await readChanges(database, [...new Set([...sleepers].map(({ topic }) => topic))]);
    for (const { topic, lookedAt, wake } of sleepers) {
      const changedAt = changes.get(topic);
      if (changedAt && changedAt.getTime() > lookedAt) wake();
    }
  }

  const tooMany = () =>
    new ApiError('RATE_LIMITED', {
      message: `${perTenant} requests of the tenant wait on this node already. Wait with fewer at a time, or ask without wait_seconds.`,
      metadata: { quota: 'waiting', limit: perTenant },
      headers: { 'Retry-After': '1' },
    });

  return async function waitFor<Found>({ call, topic, waitSeconds, look, isEnough }: LongPoll<Found>): Promise<Found> {
    if (waitSeconds === 0) return look();
    const leave = places.take(call.tenantId);
    if (!leave) throw tooMany();
    const startedAt = performance.now();
    const until = startedAt + waitSeconds * 1000;
    const waker = createWaker(signals, [topic]);
    let isGone = false;
    call.onClosed(() => {
      isGone = true;
      waker.wake();
    });
    const self = { topic, lookedAt: 0, wake: waker.wake };
    sleepers.add(self);
    try {
      for (;;) {
        waker.reset();
        const lookedAt = performance.now();
        self.lookedAt = call.admittedAt.getTime() + (lookedAt - startedAt);
        const found = await look();
        const left = until - performance.now();
        if (isEnough(found) || left <= 0 || isGone || signals.isClosed()) return found;
        await waker.sleep(left);
        if (isGone) return found;
        const between = Math.max(BETWEEN_LOOKS_MS, BETWEEN_LOOKS_OF_A_TOPIC_MS * signals.listeners(topic));
        const pause = Math.min(lookedAt + between, until) - performance.now();
        if (pause > 0 && !signals.isClosed()) await delay(pause);
      }
    } finally {
      waker.stop();
      sleepers.delete(self);
      leave();
    }
  };
}

const changesOf = statement(
  'waiting requests: changes of topics',
  (topics: string) => fixedSql`
    select topic, case kind
      when 'command' then
        (select updated_at from commands c where c.tenant_id = t.tenant_id and c.command_id = t.id::uuid)
      when 'events' then
        (select logged_at from events e where e.tenant_id = t.tenant_id order by seq desc limit 1)
      when 'device-requests' then
        (select received_at from device_requests d where d.tenant_id = t.tenant_id
         order by device_request_id desc limit 1)
    end as changed_at
    from (
      select topic, split_part(topic, ' ', 1) as kind, split_part(topic, ' ', 2) as tenant_id,
             split_part(topic, ' ', 3) as id
      from json_array_elements_text(${topics}::text::json) topic
    ) t`,
);

/**
 * When the topics of waiting requests last changed, by the database's clock: one statement over the tenants of all of
 * them. A topic without a change may be missing. A reply to a device request does not count: a list of replied requests
 * that misses its signal is answered at the end of its wait.
 */
export async function readChanges(database: Database, topics: string[]): Promise<Map<string, Date>> {
  const changes = changesOf(JSON.stringify(topics));
  const rows = await asAllTenantsStatement<{ topic: string; changed_at: Date }>(database, changes);
  return new Map(rows.map(({ topic, changed_at }) => [topic, new Date(changed_at)]));
}
