import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import { instantOrNull } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { busPrincipalView } from '../../views.js';

export function busPrincipalsUpdate(group: Group, invocation: Invocation): void {
  group
    .command('update')
    .description('Change a principal. What is not given stays as it is.')
    .argument('<principal_id>', 'the principal')
    .addOption(
      new Option('--status <status>', 'DISABLED keeps it off the bus until ACTIVE again; DELETED is final').choices([
        'ACTIVE',
        'DISABLED',
        'DELETED',
      ]),
    )
    .option('--expires-at <instant>', 'when it stops working: RFC 3339, or never')
    .action(async (principalId, { status, expiresAt }) => {
      if (status === undefined && expiresAt === undefined) throw invocation.usageError('give --status or --expires-at');
      const question = { DISABLED: 'Disable', DELETED: 'Delete for ever', ACTIVE: undefined }[status ?? 'ACTIVE'];
      invocation.requireConfirmable(question !== undefined);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      if (question) await invocation.confirm(`${question} the bus principal ${principalId} of tenant ${tenant}?`);
      const body = { status, expires_at: instantOrNull(expiresAt) };
      await invocation.printItem(
        await session.client.busPrincipals.update(tenant, principalId, body),
        busPrincipalView,
      );
    });
}
