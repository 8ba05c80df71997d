import * as sdk from '@tenant-open-platform/sdk';
import { prepareLarge } from './large.mjs';
import { runSuite } from './suite.mjs';

/** Node, Bun and Deno. Settings come as JSON in SETTINGS; results go to standard output, a line of JSON each. */
const settings = JSON.parse(process.env.SETTINGS);
const say = (value) => console.log(JSON.stringify(value));

if (settings.size === undefined) {
  say(await runSuite(sdk, settings));
} else {
  const small = await prepareLarge(sdk, { ...settings, size: 4_000_000 });
  await small();
  const large = await prepareLarge(sdk, settings);
  const read = process.stdin[Symbol.asyncIterator]();
  say({ pid: process.pid });
  // The test measures before and after, while the process waits for a line.
  await read.next();
  say(await large());
  await read.next();
}
