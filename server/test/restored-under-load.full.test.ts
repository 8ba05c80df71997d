import { test } from 'vitest';
import { ways } from './support/copies.js';
import { startWorkingPlatform } from './support/restore-under-load.js';

test.each(Object.entries(ways))(
  'under load, after %s: no event is missed, no request is admitted twice, and no command that was carried out counts as safe to repeat',
  async (_name, way) => {
    const platform = await startWorkingPlatform({ perSecond: 15 });
    await platform.survives(way);
  },
  180_000,
);
