import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { tenantView } from '../../views.js';

export function tenantsGet(group: Group, invocation: Invocation): void {
  group
    .command('get')
    .description('Show a tenant.')
    .argument('[tenant_id]', "the tenant; --tenant or the profile's own unless given")
    .action(async (tenantId) => {
      const session = await invocation.connect();
      const tenant = await session.client.tenants.get(tenantId ?? (await invocation.tenantOf(session)));
      await invocation.printItem(tenant, tenantView);
    });
}
