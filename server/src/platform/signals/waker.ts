import type { Signals } from './signals.js';

/** A sleep that a signal of the topic ends early, even if it arrived before the sleep and after `reset`. */
export function createWaker(signals: Signals, topic: string | undefined) {
  let isAwake = false;
  let endSleep = () => {};
  function wake(): void {
    isAwake = true;
    endSleep();
  }
  const stopListening = topic === undefined ? () => {} : signals.listen(topic, wake);
  return {
    /** Ends the sleep as a signal does. */
    wake,
    reset(): void {
      isAwake = false;
    },
    async sleep(milliseconds: number): Promise<void> {
      if (isAwake) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        endSleep = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    /** Ends the sleep and all later ones. */
    stop(): void {
      stopListening();
      wake();
    },
  };
}
