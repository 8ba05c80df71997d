import { cpSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Puts beside the built script what the page loads: its own files, and Scalar's build for browsers. */
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const own = fileURLToPath(new URL('../src/files/', import.meta.url));
const scalar = `${dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference/style.css')))}/browser`;

cpSync(own, dist, { recursive: true });
const isServed = (path) => !/\.map$|\/standalone\.js$|\.json$/.test(path);
cpSync(scalar, `${dist}scalar`, { recursive: true, filter: isServed });
