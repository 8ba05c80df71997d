import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { keepSecret } from '../../issued-secret.js';
import { printSecretOf, secretFileFlag } from './secret-flag.js';

export function callbackEndpointsRotate(group: Group, invocation: Invocation): void {
  group
    .command('rotate')
    .description('Make a new secret and show it, this once. The old one ends at once unless given time.')
    .argument('<endpoint_id>', 'the callback endpoint')
    .option('--previous-secret-ttl-seconds <seconds>', 'how long the old one stays beside it: 0 to 604800', integer)
    .option(...secretFileFlag)
    .action(async (endpointId, { previousSecretTtlSeconds, secretFile }) => {
      invocation.requireConfirmable(true);
      keepSecret(invocation, secretFile);
      const session = await invocation.connectToOwnTenant();
      const tenant = await invocation.tenantOf(session);
      const grace = previousSecretTtlSeconds ? `in ${previousSecretTtlSeconds} seconds` : 'at once';
      await invocation.confirm(
        `Rotate the secret of the callback endpoint ${endpointId} of tenant ${tenant}? The old secret ends ${grace}.`,
      );
      await printSecretOf(invocation, secretFile, () =>
        session.client.callbackEndpoints.update(endpointId, {
          rotate_secret: true,
          previous_secret_ttl_seconds: previousSecretTtlSeconds,
        }),
      );
    });
}
