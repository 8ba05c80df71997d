import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { callbackEndpointView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function callbackEndpointsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description("List the callback endpoints of the credential's tenant, newest first, never their secrets.")
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const { client } = await invocation.connectToOwnTenant();
      const endpoints = client.callbackEndpoints.list({ limit: pageSize(flags) });
      await invocation.printItems(endpoints, callbackEndpointView, flags);
    });
}
