import { fileURLToPath } from 'node:url';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The variables of a process of Node or Python whose clock is so far ahead; negative: behind. */
export const clockAhead = (aheadMs: number): Record<string, string> => ({
  CLOCK_AHEAD_MS: String(aheadMs),
  NODE_OPTIONS: `--import=${file('moved-clock.mjs')}`,
  PYTHONPATH: file('moved-python-clock'),
});
