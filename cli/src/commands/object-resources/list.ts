import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { objectResourceView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function objectResourcesList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description("List the object resources of the credential's tenant, newest first.")
    .option('--credential-id <credential_id>', 'only resources of this object credential')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const { client } = await invocation.connectToOwnTenant();
      const query = { credential_id: flags.credentialId, limit: pageSize(flags) };
      await invocation.printItems(client.objectResources.list(query), objectResourceView, flags);
    });
}
