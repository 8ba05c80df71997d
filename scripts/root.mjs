import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Ends the process with a one-line message for the user. */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`This project needs Node 20.19 or newer; this is Node ${process.versions.node}.`);
}
