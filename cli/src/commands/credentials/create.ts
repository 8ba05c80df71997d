import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import { instantOrNull, integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { keepSecret, printSecretOf, secretFileFlag } from './secret-flag.js';

export function credentialsCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description('Create a credential and show its secret, this once. Then bind it: topctl role-bindings create')
    .option('--client-id <client_id>', 'the id of the new credential, unique on the platform (required)')
    .option('--name <name>', 'a name for people (required)')
    .addOption(
      new Option('--status <status>', 'ACTIVE unless given; DELETED reserves the client_id for ever').choices([
        'ACTIVE',
        'DISABLED',
        'DELETED',
      ]),
    )
    .option('--allowed-clock-skew-seconds <seconds>', 'how far its clock may be off: 30 to 900', integer)
    .option('--replay-window-seconds <seconds>', 'how long a nonce stays used: 30 to 900', integer)
    .option('--expires-at <instant>', 'when it stops working: RFC 3339, or never')
    .option(...secretFileFlag)
    .action(async (flags) => {
      const reserving = flags.status === 'DELETED';
      const { clientId, ...given } = await invocation.fillIn(flags, ['clientId', 'name'], { confirmed: !reserving });
      keepSecret(invocation, given.secretFile);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      if (reserving) await invocation.confirm(`Make ${clientId} of tenant ${tenant} unusable for ever?`);
      await printSecretOf(invocation, session, given.secretFile, () =>
        session.client.credentials.create(tenant, {
          client_id: clientId,
          name: given.name,
          status: given.status,
          allowed_clock_skew_seconds: given.allowedClockSkewSeconds,
          replay_window_seconds: given.replayWindowSeconds,
          expires_at: instantOrNull(given.expiresAt),
        }),
      );
    });
}
