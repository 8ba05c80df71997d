import * as sdk from '@tenant-open-platform/sdk';
import { prepareLarge } from './large.mjs';
import { runSuite } from './suite.mjs';

/** A page of a browser: the test calls these. */
Object.assign(globalThis, {
  suite: (settings) => runSuite(sdk, settings),
  prepare: async (settings) => {
    globalThis.large = await prepareLarge(sdk, settings);
  },
});
