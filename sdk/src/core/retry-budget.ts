const FULL = 30;
const EARNED_BY_SUCCESS = 0.2;

/**
 * What a client may spend on retries: 30 at first, then one for every five calls that succeed. While the platform is down
 * it is soon spent, and each call is sent once: a client must not multiply the load that the platform comes back to.
 */
export class RetryBudget {
  #left = FULL;

  earn(): void {
    this.#left = Math.min(FULL, this.#left + EARNED_BY_SUCCESS);
  }

  /** Whether there was enough for one more retry. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
