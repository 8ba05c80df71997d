import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import { instantOrNull, integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { credentialView } from '../../views.js';

export function credentialsUpdate(group: Group, invocation: Invocation): void {
  group
    .command('update')
    .description('Change a credential, from its very next request on. What is not given stays as it is.')
    .argument('<client_id>', 'the credential')
    .option('--name <name>', 'a name for people')
    .addOption(
      new Option('--status <status>', 'DISABLED refuses requests until ACTIVE again; DELETED is final').choices([
        'ACTIVE',
        'DISABLED',
        'DELETED',
      ]),
    )
    .option('--allowed-clock-skew-seconds <seconds>', 'how far its clock may be off: 30 to 900', integer)
    .option('--replay-window-seconds <seconds>', 'how long a nonce stays used: 30 to 900', integer)
    .option('--expires-at <instant>', 'when it stops working: RFC 3339, or never')
    .action(async (clientId, flags) => {
      if (Object.keys(flags).length === 0) throw invocation.usageError('give at least one flag to change');
      const question = { DISABLED: 'Disable', DELETED: 'Delete for ever', ACTIVE: undefined }[flags.status ?? 'ACTIVE'];
      invocation.requireConfirmable(question !== undefined);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      if (question) await invocation.confirm(`${question} the credential ${clientId} of tenant ${tenant}?`);
      const credential = await session.client.credentials.update(tenant, clientId, {
        name: flags.name,
        status: flags.status,
        allowed_clock_skew_seconds: flags.allowedClockSkewSeconds,
        replay_window_seconds: flags.replayWindowSeconds,
        expires_at: instantOrNull(flags.expiresAt),
      });
      await invocation.printItem(credential, credentialView);
    });
}
