/** A point in time on the server's clock, and the correction that was used to read it. */
export interface ClockReading {
  atMs: number;
  offsetMs: number;
}

/** An estimate of the server's clock: the local clock, corrected by CLOCK_SKEW answers. */
export class Clock {
  #offsetMs = 0;

  read(): ClockReading {
    return { atMs: Date.now() + this.#offsetMs, offsetMs: this.#offsetMs };
  }

  /** Corrects the clock after a request signed at `signed` was refused. The server answered about halfway to now. */
  correct(signed: ClockReading, serverTimeMs: number): void {
    const sentAtMs = signed.atMs - signed.offsetMs;
    this.#offsetMs = serverTimeMs - (sentAtMs + Date.now()) / 2;
  }
}
