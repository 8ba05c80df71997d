import { setTimeout as pause } from 'node:timers/promises';
import { fillTenant } from '../filler.js';
import { prepareAtRate } from '../generator/paced.js';
import { answerMeasures, cpuMeasures } from '../measures.js';
import type { Platform } from '../platform.js';
import { alternate, type Run } from '../results.js';
import { call, post } from '../sign.js';
import { withCarryingPlatform } from './carrying-platform.js';
import type { Part } from './part.js';

const COMMANDS = 200_000;
const RATE = 200;
const SECONDS = 8;
const POLL_MS = 250;
/** The checkpoint of the filled rows is over then. */
const REST_MS = 5_000;

/** `alone` fills the tenant that the run after it deletes. */
export const deletion: Part = {
  about: `The tenant \`demo\` sends ${RATE} commands/s for ${SECONDS} s, as in fixed-rate: first alone, then while the platform deletes another tenant with ${COMMANDS} commands and as many events. The deletion lasts longer than the load.`,
  measure: ({ builds, pairs, ...settings }) => {
    const build = builds.at(-1);
    if (!build) throw new Error('There is no build.');
    return withCarryingPlatform(build, settings, async (platform) => {
      let filled = 0;
      const alone = async () => {
        filled += 1;
        const { baseUrl, admin, database } = platform;
        const tenant = { tenant_id: `gone-${filled}`, name: 'Gone' };
        await post(baseUrl, admin, '/api/v1/platform/tenants', tenant);
        await call(baseUrl, admin, ['PUT', `/api/v1/platform/tenants/${tenant.tenant_id}`], { status: 'DISABLED' });
        await fillTenant(database.sql, tenant.tenant_id, COMMANDS);
        await pause(REST_MS);
        return measureLoad(platform);
      };
      return alternate({ alone, 'during a deletion': () => measureDeletion(platform, `gone-${filled}`) }, pairs);
    });
  },
};

async function measureLoad({ baseUrl, demo, cpuMs }: Platform): Promise<Run> {
  const send = prepareAtRate({ baseUrl, profile: demo, seconds: SECONDS }, RATE);
  const before = cpuMs();
  const { refused, ...answers } = await send();
  return {
    ...answerMeasures({ ...answers, refused: refused.count }),
    ...cpuMeasures(before, cpuMs(), answers.accepted),
  };
}

async function measureDeletion(platform: Platform, tenantId: string): Promise<Run> {
  const { baseUrl, admin } = platform;
  const target = `/api/v1/platform/tenants/${tenantId}`;
  const startedAt = performance.now();
  await call(baseUrl, admin, ['DELETE', `${target}?confirm=${tenantId}`], undefined, 202);
  const run = await measureLoad(platform);
  const read = () => call(baseUrl, admin, ['GET', target]);
  if ((await read()).status !== 'DELETING') throw new Error('The deletion ended before the load did.');
  while ((await read()).status === 'DELETING') await pause(POLL_MS);
  return { ...run, 'rows deleted/s': (2000 * COMMANDS) / (performance.now() - startedAt) };
}
