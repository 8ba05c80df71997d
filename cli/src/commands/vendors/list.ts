import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { vendorView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function vendorsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description("List all vendors of the platform's catalog, disabled ones included, newest first.")
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const { client } = await invocation.connect();
      await invocation.printItems(client.vendors.list({ limit: pageSize(flags) }), vendorView, flags);
    });
}
