import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import { flagName, instantOrNull } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { holdsSeed } from '../../nkey-seed.js';
import { busPrincipalView } from '../../views.js';

const required = ['busUser', 'busAccountPublicKey', 'busUserPublicKey', 'principalType'] as const;

export function busPrincipalsCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description('Register a user of the messaging bus by its public nkeys. Keep the private seeds to yourself.')
    .option('--bus-user <name>', 'the name of the user on the bus (required)')
    .option('--bus-account-public-key <nkey>', 'the public nkey of its account: A… (required)')
    .option('--bus-user-public-key <nkey>', 'its public nkey: U…, of one principal for ever (required)')
    .addOption(
      new Option(
        '--principal-type <type>',
        'SERVICE carries out commands, CLIENT reads the events of the tenant (required)',
      ).choices(['SERVICE', 'CLIENT']),
    )
    .option('--client-id <client_id>', 'the credential of the tenant that it belongs to')
    .option('--service-name <name>', 'the service that uses it')
    .addOption(
      new Option('--status <status>', 'ACTIVE unless given; DELETED reserves the user key for ever').choices([
        'ACTIVE',
        'DISABLED',
        'DELETED',
      ]),
    )
    .option('--expires-at <instant>', 'when it stops working: RFC 3339, or never')
    .action(async (flags) => {
      const reserving = flags.status === 'DELETED';
      const given = await invocation.fillIn(flags, required, { confirmed: !reserving });
      refuseSeeds(invocation, given);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      if (reserving)
        await invocation.confirm(`Make the user key of ${given.busUser} of tenant ${tenant} unusable for ever?`);
      const principal = await session.client.busPrincipals.create(tenant, {
        bus_user: given.busUser,
        bus_account_public_key: given.busAccountPublicKey,
        bus_user_public_key: given.busUserPublicKey,
        principal_type: given.principalType,
        client_id: given.clientId,
        service_name: given.serviceName,
        status: given.status,
        expires_at: instantOrNull(given.expiresAt),
      });
      await invocation.printItem(principal, busPrincipalView);
    });
}

/** The platform would refuse them too, but what was sent is disclosed. */
function refuseSeeds(invocation: Invocation, flags: Record<string, string | undefined>): void {
  const found = Object.entries(flags).find(([name, text]) => text && holdsSeed(text, { isKey: name.endsWith('Key') }));
  if (!found) return;
  const flag = flagName(found[0]);
  throw invocation.usageError(
    `${flag} holds a private seed; nothing was sent. Give the public key, which begins with A or U`,
  );
}
