import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { policyView } from '../../views.js';

export function policiesCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description('Grant a credential of the tenant one scope, without a role.')
    .option('--client-id <client_id>', 'the credential (required)')
    .option('--scope <scope>', 'the scope, such as open:device-request:create (required)')
    .action(async (flags) => {
      const { clientId, scope } = await invocation.fillIn(flags, ['clientId', 'scope']);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      const policy = await session.client.policies.create(tenant, { client_id: clientId, scope });
      await invocation.printItem(policy, policyView);
    });
}
