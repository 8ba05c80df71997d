import type { Signals } from './signals.js';

/** A rest that signals of a topic cut short. One that came while nobody rested, since `reset`, counts too. */
export function alarmOn(signals: Signals, topic: string | undefined) {
  let hasRung = false;
  let wake = () => {};
  function ring(): void {
    hasRung = true;
    wake();
  }
  const stopListening = topic === undefined ? () => {} : signals.listen(topic, ring);
  return {
    reset(): void {
      hasRung = false;
    },
    async rest(milliseconds: number): Promise<void> {
      if (hasRung) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    /** Ends the rest, for good. */
    stop(): void {
      stopListening();
      ring();
    },
  };
}
