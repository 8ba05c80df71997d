import { openAsBlob } from 'node:fs';
import fs from 'node:fs/promises';
import { run } from './app.js';

process.exitCode = await run({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  fs,
  openAsBlob,
  fetch,
  signals: process,
});
// The work whose output nobody gets ends now.
if (process.stdout.errored) process.exit();
