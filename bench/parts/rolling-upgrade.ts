import type { Build } from '../builds.js';
import { prepareAtRate } from '../generator/paced.js';
import { startPlatform } from '../platform.js';
import { alternate, type Run } from '../results.js';
import type { Form, Part } from './part.js';

const RATE = 100;
const SECONDS = 10;

export const rollingUpgrade: Part = {
  about: `A node of the commit of \`--against\` carries ${RATE} commands/s through Postgres, NATS and the adapter of steady-state. A node of this commit starts beside it on the same database and bus, and migrates it. Then both nodes take ${RATE} commands/s each for ${SECONDS} s, the old one stops, and the new one goes on alone. The table shows what became of all accepted commands.`,
  async measure({ builds, environment }: Form) {
    const [before, build] = builds;
    if (!before || !build) throw new Error('rolling-upgrade needs --against <git ref>.');
    const measure = () => upgrade(before, build, environment);
    return alternate({ [`${before.name} to ${build.name}`]: measure }, 1);
  },
};

async function upgrade(before: Build, build: Build, environment: Record<string, string>): Promise<Run> {
  const platform = await startPlatform({ build: before, environment });
  try {
    await platform.startAdapter();
    const load = (baseUrl: string) => prepareAtRate({ baseUrl, profile: platform.demo, seconds: SECONDS }, RATE);
    const loadOnOld = load(platform.baseUrl)();
    const next = await platform.startNode('all', build.main);
    const first = await loadOnOld;
    const [old, fresh] = await Promise.all([load(platform.baseUrl)(), load(next.baseUrl)()]);
    await platform.stopFirstNode();
    const last = await load(next.baseUrl)();
    await platform.database.drained();
    const { byStatus } = await platform.database.outcomes();
    return {
      'accepted by the old node, before and while the new one starts': first.accepted,
      'accepted by the old node, beside the new one': old.accepted,
      'accepted by the new node, beside the old one': fresh.accepted,
      'accepted by the new node alone': last.accepted,
      'refused with 503': [first, old, fresh, last].reduce((sum, { refused }) => sum + refused.count, 0),
      ...byStatus,
    };
  } finally {
    await platform.stop();
  }
}
