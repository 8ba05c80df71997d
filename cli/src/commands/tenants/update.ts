import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { tenantView } from '../../views.js';

export function tenantsUpdate(group: Group, invocation: Invocation): void {
  group
    .command('update')
    .description('Change a tenant. What is not given stays as it is.')
    .argument('[tenant_id]', "the tenant; --tenant or the profile's own unless given")
    .option('--name <name>', 'a name for people')
    .addOption(
      new Option('--status <status>', "DISABLED refuses every request of the tenant's credentials").choices([
        'ACTIVE',
        'DISABLED',
      ]),
    )
    .action(async (argument, { name, status }) => {
      if (name === undefined && status === undefined) throw invocation.usageError('give --name or --status');
      const disabling = status === 'DISABLED';
      invocation.requireConfirmable(disabling);
      const session = await invocation.connect();
      const tenantId = argument ?? (await invocation.tenantOf(session));
      if (disabling) await invocation.confirm(`Disable the tenant ${tenantId}, with all its credentials?`);
      await invocation.printItem(await session.client.tenants.update(tenantId, { name, status }), tenantView);
    });
}
