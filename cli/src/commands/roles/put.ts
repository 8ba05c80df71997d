import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { roleView } from '../../views.js';

export function rolesPut(group: Group, invocation: Invocation): void {
  group
    .command('put')
    .description("Make one of the tenant's own roles, or replace what it grants, from the very next request on.")
    .argument('<role>', 'the role, such as replier')
    .option(
      '--scope, --scopes <scopes>',
      'all that it grants: scopes with commas between, or the flag once for each; or none (required)',
      joined,
    )
    .action(async (role, flags) => {
      const { scopes } = await invocation.fillIn(flags, ['scopes']);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      const body = { scopes: scopes === 'none' ? [] : scopes.split(',') };
      await invocation.printItem(await session.client.roles.put(tenant, role, body), roleView);
    });
}

function joined(text: string, before: string | undefined): string {
  return before === undefined ? text : `${before},${text}`;
}
