import { alarmOn } from './alarm.js';
import type { Signals } from './signals.js';

/** Looks at least so often, should a signal get lost. */
const LOOK_AGAIN_MS = 2_000;

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
  const until = performance.now() + waitSeconds * 1000;
  const alarm = alarmOn(signals, topic);
  try {
    for (;;) {
      alarm.reset();
      const found = await look();
      const left = until - performance.now();
      if (isEnough(found) || left <= 0 || signals.isClosed()) return found;
      await alarm.rest(Math.min(left, LOOK_AGAIN_MS));
    }
  } finally {
    alarm.stop();
  }
}
