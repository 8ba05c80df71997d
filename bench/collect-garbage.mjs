import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Preloaded into the node of the part memory: V8 collects its old generation rarely, so without this the heap shows
// garbage rather than what is retained.

const EVERY_MS = 5_000;

setFlagsFromString('--expose-gc');
setInterval(runInNewContext('gc'), EVERY_MS).unref();
