import * as sdk from '@tenant-open-platform/sdk';
import { runSuite } from './suite.mjs';

/** Node, Bun and Deno. Settings come as JSON in SETTINGS, results go to standard output as JSON. */
console.log(JSON.stringify(await runSuite(sdk, JSON.parse(process.env.SETTINGS))));
