import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { credentialView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function credentialsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description('List the credentials of the tenant, newest first.')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      const credentials = session.client.credentials.list(tenant, { limit: pageSize(flags) });
      await invocation.printItems(credentials, credentialView, flags);
    });
}
