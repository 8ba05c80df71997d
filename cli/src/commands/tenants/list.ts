import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { tenantView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function tenantsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description('List all tenants, newest first.')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const { client } = await invocation.connect();
      await invocation.printItems(client.tenants.list({ limit: pageSize(flags) }), tenantView, flags);
    });
}
