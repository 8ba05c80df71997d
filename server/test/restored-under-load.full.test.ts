import { test } from 'vitest';
import { ways } from './support/copies.js';
import { startWorkingPlatform } from './support/restore-under-load.js';

/** After a recovery to a point in time, a slow machine may find no command under way: the long form in `cluster`. */
const short = Object.entries(ways).filter(([name]) => !name.includes('point in time'));

test.each(short)(
  'under load, after %s: no event is missed, no request is admitted twice, and no command that was carried out counts as safe to repeat',
  async (_name, way) => {
    const platform = await startWorkingPlatform({ perSecond: 15 });
    await platform.survives(way);
  },
  300_000,
);
