import { openAsBlob } from 'node:fs';
import fs from 'node:fs/promises';
import { run } from './app.js';

// A reader such as `head` closes the pipe when it has enough. That is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

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
