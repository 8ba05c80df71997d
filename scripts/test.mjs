import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { fail, root } from './root.mjs';

const [project, ...parameters] = process.argv.slice(2);
if (!['local', 'full', 'hostile', 'runtimes', 'schemathesis', 'clients'].includes(project))
  fail('Usage: node scripts/test.mjs local|full|hostile|runtimes|schemathesis|clients [vitest arguments]');
const projects = project === 'local' ? ['unit', 'local'] : [project];

await prepare();

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
process.argv = [process.execPath, vitest, 'run', ...projects.flatMap((name) => ['--project', name]), ...parameters];
await import(pathToFileURL(vitest).href);
