import type { Step } from './outcome.js';
import { pause } from './pause.js';

/** The platform stores one step of a command per second. A little later, so that none comes too soon. */
const BETWEEN_STEPS_MS = 1_100;

/** Sends the last step that was told: one a second, and only once NATS has stored the one before. */
export class Steps {
  last: Step | undefined;
  #ended: AbortController | undefined;

  constructor(private readonly send: (step: Step) => Promise<void>) {}

  /** Resolves when the step is stored, or at once if it may not be sent yet. */
  tell(step: Step): Promise<void> {
    this.last = step;
    if (this.#ended) return Promise.resolve();
    const ended = new AbortController();
    this.#ended = ended;
    const sent = this.send(step);
    void sent.then(() => this.#follow(step, ended.signal));
    return sent;
  }

  end(): void {
    this.#ended?.abort('The handler has ended.');
  }

  async #follow(sent: Step, signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(BETWEEN_STEPS_MS, signal);
      const { last } = this;
      if (signal.aborted || last === undefined) return;
      if (last === sent) break;
      sent = last;
      await this.send(last);
    }
    this.#ended = undefined;
  }
}
