import { expect, test } from 'vitest';
import { ALL_FORMS, STEPS, startMovingTenant } from './support/moving-tenant.js';

test.each(ALL_FORMS)(
  'on %s a tenant moves under load, the command killed at each step: no command is lost or doubled, no key or nonce is accepted again, and a follower reads every event once',
  async (form) => {
    const tenant = await startMovingTenant({ perSecond: 15, form });
    await tenant.undoAfterKill('rows of commands', 'is not moving');
    await tenant.undoAfterKill('nothing is under way', 'is open again');
    await tenant.moveWithKills(STEPS);
    await tenant.moveWithKills(['rows of events']);
    expect(tenant.accepted()).toBeGreaterThan(45);
    await tenant.check();
  },
  900_000,
);
