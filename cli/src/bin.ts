import { openAsBlob } from 'node:fs';
import fs from 'node:fs/promises';
import { run } from './app.js';
import { openInBrowser } from './open-in-browser.js';

process.exitCode = await run({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  fs,
  openAsBlob,
  openInBrowser,
  fetch,
  signals: process,
});
// Nobody reads stdout any more: end now, whatever still runs.
if (process.stdout.errored) process.exit();
