import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';

await prepare();

/** Runs in this process, so that signals, output and exit code are the server's own. */
const main = join(root, 'server', 'dist', 'main.js');
process.argv[1] = main;
await import(pathToFileURL(main).href);
