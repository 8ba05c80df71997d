import type { Build } from '../builds.js';
import { prepareWrk } from '../generator/wrk.js';
import { type Platform, startPlatform } from '../platform.js';
import { type Form, WARM_UP_SECONDS } from './part.js';

type Settings = Pick<Form, 'roles' | 'environment'> & Partial<Pick<Form, 'hasEventReader'>>;

/** A new platform with an adapter, warmed up and without a backlog. */
export async function withCarryingPlatform<T>(
  build: Build,
  { roles, environment, hasEventReader }: Settings,
  use: (platform: Platform) => Promise<T>,
): Promise<T> {
  const platform = await startPlatform({ build, roles, environment });
  try {
    await platform.startAdapter();
    if (hasEventReader) await platform.registerPrincipal('CLIENT');
    await prepareWrk({ ...platform, profile: platform.demo, seconds: WARM_UP_SECONDS })();
    await platform.database.drained();
    return await use(platform);
  } finally {
    await platform.stop();
  }
}
