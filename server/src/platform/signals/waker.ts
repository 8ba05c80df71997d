import type { Signals } from './signals.js';

/** A sleep that a signal of the topic ends early. A signal that came before the sleep, but after `reset`, ends it too. */
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
    /** Ends the sleep, for good. */
    stop(): void {
      stopListening();
      wake();
    },
  };
}
