import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { startPrivatePlatform } from '../../../test/support/private-platform.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { OWNED_SECONDS } from '../slots/slot-owner.js';

const soon = { timeout: 60_000, interval: 20 };

/** A worker looks for free slots every second. */
const ROUND_MS = 1_000;
/** For a busy machine. */
const MARGIN_MS = 20_000;

test('two workers have eight slots each; kill -9 of one moves its slots within the lease', async () => {
  const platform = await startPrivatePlatform();
  const worker = await platform.startWorker();
  /** How many slots each holder has. */
  const shares = async () => {
    const held = await asAllTenantsStatement<{ slots: number }>(
      platform.database,
      sql`select count(*)::int as slots from slots where owned_until > now() group by owner`,
    );
    return held.map(({ slots }) => slots);
  };
  await vi.waitFor(async () => expect(await shares()).toEqual([8, 8]), soon);
  worker.process.kill('SIGKILL');
  const killedAt = performance.now();
  await vi.waitFor(async () => expect(await shares()).toEqual([16]), soon);
  const tookMs = performance.now() - killedAt;
  console.log(`The slots of the killed worker moved after ${(tookMs / 1_000).toFixed(1)} s.`);
  expect(tookMs).toBeLessThan(OWNED_SECONDS * 1_000 + ROUND_MS + MARGIN_MS);
});
