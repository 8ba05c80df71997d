import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { tenantView } from '../../views.js';

export function tenantsCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description('Create a tenant. Make its first credential with: topctl credentials create --tenant <tenant_id>')
    .option('--tenant-id <tenant_id>', 'the id of the new tenant (required)')
    .option('--name <name>', 'a name for people (required)')
    .addOption(new Option('--status <status>', 'ACTIVE unless given').choices(['ACTIVE', 'DISABLED']))
    .action(async (flags) => {
      const { tenantId, name, status } = await invocation.fillIn(flags, ['tenantId', 'name']);
      const { client } = await invocation.connect();
      await invocation.printItem(await client.tenants.create({ tenant_id: tenantId, name, status }), tenantView);
    });
}
