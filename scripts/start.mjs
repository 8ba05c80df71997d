import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';

await prepare();

/** Runs in this process, so that signals, output and exit code are the server's own. Its workers run `main.js`. */
const dist = join(root, 'server', 'dist');
process.argv[1] = join(dist, 'main.js');
const { runProgram } = await import(pathToFileURL(join(dist, 'program.js')).href);
const { saveProfiles } = await import('./save-profiles.mjs');
runProgram(process.argv.slice(2), { topctl: 'npx topctl', saveProfiles });
