import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { buildRef, prepare, thisBuild } from './builds.js';
import { requireWrk } from './generator/wrk.js';
import { accepting } from './parts/accepting.js';
import { busyTenant } from './parts/busy-tenant.js';
import { deletion } from './parts/deletion.js';
import { drain } from './parts/drain.js';
import { embedded } from './parts/embedded.js';
import { filledDatabase } from './parts/filled-database.js';
import { fixedRate, overload } from './parts/fixed-rate.js';
import { fleet } from './parts/fleet.js';
import { memory } from './parts/memory.js';
import { neighbours } from './parts/neighbours.js';
import type { Form, Part } from './parts/part.js';
import { relays } from './parts/relays.js';
import { rollingUpgrade } from './parts/rolling-upgrade.js';
import { sdk } from './parts/sdk.js';
import { sharedRequests } from './parts/shared-requests.js';
import { start } from './parts/start.js';
import { fullLoad, steadyState } from './parts/steady-state.js';
import { workers } from './parts/workers.js';
import { render, writeSection } from './results.js';
import { judge, type Verdict } from './thresholds.js';

const parts: Record<string, Part> = {
  accepting,
  fleet,
  'steady-state': steadyState,
  'full-load': fullLoad,
  'fixed-rate': fixedRate,
  overload,
  neighbours,
  'busy-tenant': busyTenant,
  drain,
  deletion,
  workers,
  relays,
  'rolling-upgrade': rollingUpgrade,
  'filled-database': filledDatabase,
  embedded,
  memory,
  start,
  sdk,
  'shared-requests': sharedRequests,
};
const isPossible = (part: string) => part !== 'rolling-upgrade' || values.against !== undefined;
const quickParts = ['accepting', 'steady-state'];

const USAGE = `pnpm bench [part …] [options]

parts: ${Object.keys(parts).join(', ')}; without any, all (rolling-upgrade only with --against)
  --against <git ref>  measure that commit in turn with this working copy
  --quick              ${quickParts.join(' and ')} in two minutes: shorter loads, with thresholds, without results.md
  --pairs <n>          how often each contender is measured (5)
  --seconds <n>        how long a load lasts if the part does not define it (10 where commands are only accepted, otherwise 60)
  --rate <n>           requests per second of fixed-rate and overload (0.7 and 3 times what the platform sustains)
  --commands <n>       commands in the filled database (10000000, with --quick 1000000)
  --roles <roles>      the platform's nodes, as all or api,worker (all)
  --event-reader       with a principal for which events are published: steady-state, full-load, fixed-rate and overload
  --set <NAME=value>   configuration of the platform, repeatable
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    quick: { type: 'boolean', default: false },
    pairs: { type: 'string' },
    seconds: { type: 'string' },
    rate: { type: 'string' },
    commands: { type: 'string' },
    roles: { type: 'string', default: 'all' },
    'event-reader': { type: 'boolean', default: false },
    set: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});
const { quick } = values;
const chosen = positionals.length > 0 ? positionals : quick ? quickParts : Object.keys(parts).filter(isPossible);
const unknown = chosen.filter((name) => !(name in parts));
if (values.help || unknown.length > 0) {
  console.error(`${unknown.map((name) => `There is no part ${name}.\n`).join('')}${USAGE}`);
  process.exit(values.help ? 0 : 1);
}

// Every running program adds a listener.
process.setMaxListeners(0);
// So that servers and temporary files are removed too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
requireWrk();
prepare(thisBuild.root);
const builds = [...(values.against === undefined ? [] : [buildRef(values.against)]), thisBuild];
const verdicts: Verdict[] = [];
for (const name of chosen) {
  const part = parts[name] as Part;
  console.error(name);
  const [loadBefore = 0] = loadavg();
  const measured = await part.measure(formOf(name));
  const { about, hasRatios = true } = part;
  const section = { part: name, about, hasRatios, measured, loadBefore };
  console.log(`\n${render(section)}`);
  if (quick) verdicts.push(judge(name, measured));
  else writeSection(section);
}
for (const { missed, notJudged } of verdicts) for (const sentence of [...notJudged, ...missed]) console.error(sentence);
// In CI, a part that was not judged fails the run: nobody reads the message there.
const failed = verdicts.some(({ missed, notJudged }) => missed.length > 0 || (process.env.CI && notJudged.length > 0));
process.exit(failed ? 1 : 0);

function formOf(part: string): Form {
  const accepts = ['accepting', 'fleet', 'workers'].includes(part);
  const seconds = values.seconds ?? (accepts ? (quick ? 4 : 10) : quick ? 20 : 60);
  const pairs = values.pairs ?? (!quick ? 5 : accepts ? 2 : 1);
  return {
    builds,
    pairs: Number(pairs),
    seconds: Number(seconds),
    ...(values.rate !== undefined && { rate: Number(values.rate) }),
    commands: Number(values.commands ?? (quick ? 1_000_000 : 10_000_000)),
    roles: values.roles.split(','),
    hasEventReader: values['event-reader'],
    environment: Object.fromEntries(values.set.map((text) => text.split(/=(.*)/s, 2) as [string, string])),
  };
}
