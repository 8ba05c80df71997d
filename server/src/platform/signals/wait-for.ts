import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../http/api-error.js';
import { alarmOn } from './alarm.js';
import type { Signals } from './signals.js';

/** Looks at least so often, should a signal get lost. */
const LOOK_AGAIN_MS = 2_000;

/** Two looks of one that waits are at least so far apart: a busy tenant's signals must not have each look all the time. */
const BETWEEN_LOOKS_MS = 200;

/** For one thing, in one process: each of them looks again at every signal. */
const MAX_WAITING = 100;

type Waiting<Found> = {
  signals: Signals;
  topic: string;
  waitSeconds: number;
  /** Reads once. It holds no connection between two looks. */
  look: () => Promise<Found>;
  isEnough: (found: Found) => boolean;
};

/** What a look finds once it is enough, or after the wait, or when the process stops. */
export async function waitFor<Found>({ signals, topic, waitSeconds, look, isEnough }: Waiting<Found>): Promise<Found> {
  if (waitSeconds === 0) return look();
  if (signals.listeners(topic) >= MAX_WAITING) {
    throw new ApiError('RATE_LIMITED', {
      message: `${MAX_WAITING} requests wait for the same already. Wait with fewer, or ask without wait_seconds.`,
      headers: { 'Retry-After': '1' },
    });
  }
  const until = performance.now() + waitSeconds * 1000;
  const alarm = alarmOn(signals, topic);
  try {
    for (;;) {
      alarm.reset();
      const lookedAt = performance.now();
      const found = await look();
      const left = until - performance.now();
      if (isEnough(found) || left <= 0 || signals.isClosed()) return found;
      await alarm.rest(Math.min(left, LOOK_AGAIN_MS));
      const pause = Math.min(lookedAt + BETWEEN_LOOKS_MS, until) - performance.now();
      if (pause > 0 && !signals.isClosed()) await delay(pause);
    }
  } finally {
    alarm.stop();
  }
}
