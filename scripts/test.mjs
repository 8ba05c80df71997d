import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { fail, root } from './root.mjs';

const [project, ...parameters] = process.argv.slice(2);
const scripts = [
  'local',
  'node',
  'full',
  'hostile',
  'cluster',
  'runtimes',
  'schemathesis',
  'clients',
  'release',
  'page',
  'image',
];
if (!scripts.includes(project)) fail(`Usage: node scripts/test.mjs ${scripts.join('|')} [vitest arguments]`);
const projects = project === 'local' ? ['unit', project] : [project];

await prepare();

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
process.argv = [process.execPath, vitest, 'run', ...projects.flatMap((name) => ['--project', name]), ...parameters];
await import(pathToFileURL(vitest).href);
