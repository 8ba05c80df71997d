import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { keepSecret, printSecretOf, secretFileFlag } from './secret-flag.js';

export function credentialsRotate(group: Group, invocation: Invocation): void {
  group
    .command('rotate')
    .description('Make a new secret and show it, this once. The old one stops working at once unless given time.')
    .argument('<client_id>', 'the credential')
    .option('--previous-secret-ttl-seconds <seconds>', 'how long the old secret still works: 0 to 604800', integer)
    .option(...secretFileFlag)
    .action(async (clientId, { previousSecretTtlSeconds, secretFile }) => {
      invocation.requireConfirmable(true);
      keepSecret(invocation, secretFile);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      const own = clientId === session.profile.client_id ? ' It is the one this command signs with.' : '';
      const grace = previousSecretTtlSeconds ? `in ${previousSecretTtlSeconds} seconds` : 'at once';
      await invocation.confirm(
        `Rotate the secret of ${clientId} of tenant ${tenant}? The old secret stops working ${grace}.${own}`,
      );
      await printSecretOf(invocation, session, secretFile, () =>
        session.client.credentials.update(tenant, clientId, {
          rotate_secret: true,
          previous_secret_ttl_seconds: previousSecretTtlSeconds,
        }),
      );
    });
}
