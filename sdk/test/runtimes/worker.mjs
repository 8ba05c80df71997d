import * as sdk from '@tenant-open-platform/sdk';
import { runSuite } from './suite.mjs';

/** workerd: the request brings the settings, and its answer are the results. */
export default {
  async fetch(request) {
    return Response.json(await runSuite(sdk, await request.json()));
  },
};
