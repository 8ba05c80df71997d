import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { policyView } from '../../views.js';

export function policiesDelete(group: Group, invocation: Invocation): void {
  group
    .command('delete')
    .description('Take away a scope that a credential holds without a role, from its very next request on.')
    .argument('<policy_id>', 'the policy: topctl policies list shows it')
    .action(async (policyId) => {
      invocation.requireConfirmable(true);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      await invocation.confirm(`Take away what the policy ${policyId} of tenant ${tenant} grants?`);
      await invocation.printItem(await session.client.policies.delete(tenant, policyId), policyView);
    });
}
