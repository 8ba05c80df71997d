import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { fail, root } from './root.mjs';

const [project, ...parameters] = process.argv.slice(2);
if (project !== 'local' && project !== 'full') fail('Usage: node scripts/test.mjs local|full [vitest arguments]');

await prepare();

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
process.argv = [process.execPath, vitest, 'run', '--project', project, ...parameters];
await import(pathToFileURL(vitest).href);
