import * as sdk from '@tenant-open-platform/sdk';
import { prepareLarge } from './large.mjs';
import { runSuite } from './suite.mjs';

/** workerd: the request contains the settings, and its answer the results. */
export default {
  async fetch(request) {
    const settings = await request.json();
    if (settings.size === undefined) return Response.json(await runSuite(sdk, settings));
    return Response.json(await (await prepareLarge(sdk, settings))());
  },
};
