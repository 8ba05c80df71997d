import { atEnd } from '@tenant-open-platform/testing';
import { makePostgresTemplate } from '@tenant-open-platform/testing/private-postgres';
import { test } from 'vitest';
import { ways } from './support/copies.js';
import { startWorkingPlatform } from './support/restore-under-load.js';

const ROUNDS = Number(process.env.RESTORE_ROUNDS ?? 2);
const PER_SECOND = 40;

// Every cluster then has the same password, so the platform keeps its DATABASE_URL.
atEnd(await makePostgresTemplate());

test(
  `one platform survives ${ROUNDS} restores of each kind, one after the other, under load`,
  async () => {
    const platform = await startWorkingPlatform({ perSecond: PER_SECOND });
    for (let round = 1; round <= ROUNDS; round++) {
      for (const way of Object.values(ways)) await platform.survives(way);
    }
  },
  ROUNDS * 600_000,
);
