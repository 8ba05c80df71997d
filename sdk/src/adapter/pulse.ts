import type { AdapterLog } from './events.js';
import { STILL_WORKING_MS } from './kit-run.js';

/** Of the 6 seconds after which NATS delivers again: an outcome still has to reach it. */
const LONGEST_GAP_MS = 5_000;
const ON_ITS_WAY_MS = 1_000;

/**
 * Counts how often the process stood still, because it was frozen or a handler blocked it. NATS may then have given its
 * commands to another process. Ask at each start and at each outcome: when a process wakes, its timers may come later.
 */
export class Pulse {
  #beatAt = performance.now();
  #freezes = 0;
  readonly #listeners: (() => void)[] = [];
  readonly #timer = setInterval(() => this.#beat(), STILL_WORKING_MS);

  constructor(
    private readonly log: AdapterLog,
    private longestGapMs = LONGEST_GAP_MS,
  ) {
    this.#timer.unref?.();
  }

  get freezes(): number {
    const now = performance.now();
    const gapMs = now - this.#beatAt;
    if (gapMs <= this.longestGapMs) return this.#freezes;
    this.#freezes += 1;
    this.#beatAt = now;
    const message = `The process stood still for ${Math.round(gapMs / 1_000)} s. NATS may have given its commands to another one.`;
    this.log({ level: 'warn', event: 'frozen', message, gap_ms: Math.round(gapMs) });
    return this.#freezes;
  }

  onBeat(tell: () => void): void {
    this.#listeners.push(tell);
  }

  /** NATS delivers a message again so long after its last sign of life. */
  redeliveredAfter(ms: number): void {
    this.longestGapMs = Math.max(LONGEST_GAP_MS, ms - ON_ITS_WAY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    // Commands from before the gap get no sign of life: another process may have them.
    void this.freezes;
    this.#beatAt = performance.now();
    for (const tell of this.#listeners) tell();
  }
}
