import * as sdk from '@tenant-open-platform/sdk';
import { runSuite } from './suite.mjs';

/** workerd: the request contains the settings, and its answer the results. */
export default {
  async fetch(request) {
    return Response.json(await runSuite(sdk, await request.json()));
  },
};
