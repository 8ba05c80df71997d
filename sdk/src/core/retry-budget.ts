const FULL = 30;
const EARNED_BY_SUCCESS = 0.2;

/**
 * The retries that a client may spend: 30 at first, then one for every five successful calls. While the platform is
 * down the budget is soon spent, and each call is sent once: clients must not multiply the load on a recovering
 * platform.
 */
export class RetryBudget {
  #left = FULL;

  earn(): void {
    this.#left = Math.min(FULL, this.#left + EARNED_BY_SUCCESS);
  }

  /** Whether the budget allowed one more retry. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
