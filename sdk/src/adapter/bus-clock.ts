import type { AdapterLog } from './events.js';

/** Deadlines do not depend on the clock of this machine, but people should know that it is wrong. */
const DIFFERS_MS = 5_000;
/** What adding and subtracting the same number may leave over. */
const ROUNDING_MS = 0.001;

/** NATS tells nanoseconds, of which Date.parse takes the milliseconds. */
export const instantOf = (text: string) => Date.parse(text) + Number(`0.${/\.\d{3}(\d+)/.exec(text)?.[1] ?? 0}`);

/** The clock of NATS. The one of this machine may be wrong: only its monotonic time counts here. */
export class BusClock {
  /** NATS' time less the monotonic time of this process is at least, and at most, this. */
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;
  #hasWarned = false;

  constructor(private readonly log: AdapterLog) {}

  get isKnown(): boolean {
    return this.#most < Number.POSITIVE_INFINITY;
  }

  /** The clock of NATS showed this time at some moment between the two of this process. */
  learn(busMs: number, from: number, until = performance.now()): void {
    const least = busMs - until;
    const most = busMs - from;
    // The clock of NATS was set, or both have drifted apart.
    const isAnother = least > this.#most || most < this.#least;
    this.#least = isAnother ? least : Math.max(this.#least, least);
    this.#most = isAnother ? most : Math.min(this.#most, most);
    this.#compare();
  }

  /** Once it is known. */
  now(): number {
    return performance.now() + (this.#least + this.#most) / 2;
  }

  /** What NATS stored at this millisecond or before it, it may have stored before that moment of this process. */
  latestAt(moment: number): number {
    return Math.floor(moment + this.#most - ROUNDING_MS);
  }

  /**
   * How many milliseconds are left: `remainingMs`, as the platform published it, less the age of the message. It compares
   * no clocks of two machines. `storedAt`: when NATS stored the message.
   */
  leftOf(remainingMs: number, storedAt: Date): number {
    return remainingMs - (this.now() - storedAt.getTime());
  }

  #compare(): void {
    const aheadMs = Date.now() - this.now();
    if (this.#hasWarned || Math.abs(aheadMs) < DIFFERS_MS) return;
    this.#hasWarned = true;
    const seconds = Math.round(Math.abs(aheadMs) / 1_000).toLocaleString('en-US');
    const message = `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of NATS. Deadlines are those of NATS' clock.`;
    this.log({ level: 'warn', event: 'clock-differs', message, ahead_ms: Math.round(aheadMs) });
  }
}
