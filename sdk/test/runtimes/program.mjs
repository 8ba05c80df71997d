import * as sdk from '@tenant-open-platform/sdk';
import { runSuite } from './suite.mjs';

/** Runs in Node, Bun and Deno. Settings arrive as JSON in SETTINGS, results go to standard output as JSON. */
console.log(JSON.stringify(await runSuite(sdk, JSON.parse(process.env.SETTINGS))));
