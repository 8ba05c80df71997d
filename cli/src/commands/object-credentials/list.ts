import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { objectCredentialView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function objectCredentialsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description("List the object credentials of the credential's tenant, newest first, never their secrets.")
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const { client } = await invocation.connectToOwnTenant();
      const credentials = client.objectCredentials.list({ limit: pageSize(flags) });
      await invocation.printItems(credentials, objectCredentialView, flags);
    });
}
