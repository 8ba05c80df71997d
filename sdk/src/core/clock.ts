/** A point in time on the server's clock, and the correction it was read with. */
export interface ClockReading {
  atMs: number;
  offsetMs: number;
}

/** The server's clock as far as it is known: the local clock, corrected by what CLOCK_SKEW answers taught. */
export class Clock {
  #offsetMs = 0;

  read(): ClockReading {
    return { atMs: Date.now() + this.#offsetMs, offsetMs: this.#offsetMs };
  }

  /**
   * Corrects the clock after a request signed at `signed` was refused. Of requests signed with the same offset the first
   * refusal corrects; the others find it corrected, so parallel calls neither add up nor undo each other.
   */
  correct(signed: ClockReading, serverTimeMs: number): void {
    if (signed.offsetMs !== this.#offsetMs) return;
    const sentAtMs = signed.atMs - signed.offsetMs;
    this.#offsetMs = serverTimeMs - (sentAtMs + Date.now()) / 2;
  }
}
