import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { keepSecret } from '../../issued-secret.js';
import { printSecretOf, secretFileFlag } from './secret-flag.js';

export function callbackEndpointsCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description('Store where a later delivery service sends events, and show the secret it signs with, this once.')
    .option('--name <name>', 'a name for people (required)')
    .option('--url <url>', 'the HTTPS URL of a public host (required)')
    .addOption(new Option('--status <status>', 'ACTIVE unless given').choices(['ACTIVE', 'DISABLED']))
    .option('--timeout-seconds <seconds>', 'how long a delivery may take: 1 to 30', integer)
    .option('--max-attempts <count>', 'how often a delivery is tried: 1 to 20', integer)
    .option(...secretFileFlag)
    .action(async (flags) => {
      const given = await invocation.fillIn(flags, ['name', 'url']);
      keepSecret(invocation, given.secretFile);
      const { client } = await invocation.connectToOwnTenant();
      await printSecretOf(invocation, given.secretFile, () =>
        client.callbackEndpoints.create({
          name: given.name,
          url: given.url,
          status: given.status,
          timeout_seconds: given.timeoutSeconds,
          max_attempts: given.maxAttempts,
        }),
      );
    });
}
