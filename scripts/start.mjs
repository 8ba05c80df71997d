import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';

const { ppid } = process;
await prepare();

/** Runs in this process, so that signals, output and exit code are the server's own. Its workers run `main.js`. */
const dist = join(root, 'server', 'dist');
process.argv[1] = join(dist, 'main.js');
const { runProgram } = await import(pathToFileURL(join(dist, 'program.js')).href);
const { saveProfiles } = await import('./save-profiles.mjs');
runProgram(process.argv.slice(2), { topctl: 'npx topctl', saveProfiles });

if (process.env.npm_lifecycle_event) {
  // npm passes SIGTERM on to its shell. The shell ends, and tells this process nothing.
  const watch = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}
