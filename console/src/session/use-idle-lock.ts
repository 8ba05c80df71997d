import { useEffect } from 'react';
import { endSession } from './session';

const LOCK_AFTER_MS = 15 * 60_000;
const SIGNS_OF_A_READER = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** A sleeping computer runs no timer, so the time is compared when the page is seen again. */
export function useIdleLock(): void {
  useEffect(() => {
    let lastSign = Date.now();
    let timer = 0;
    const isOver = () => Date.now() - lastSign >= LOCK_AFTER_MS;
    const look = () => {
      if (isOver()) endSession('IDLE');
      else timer = window.setTimeout(look, LOCK_AFTER_MS - (Date.now() - lastSign));
    };
    const sign = () => {
      if (isOver()) endSession('IDLE');
      else lastSign = Date.now();
    };
    const seen = () => isOver() && endSession('IDLE');
    look();
    for (const name of SIGNS_OF_A_READER) addEventListener(name, sign, { passive: true });
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearTimeout(timer);
      for (const name of SIGNS_OF_A_READER) removeEventListener(name, sign);
      document.removeEventListener('visibilitychange', seen);
    };
  }, []);
}
