import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import { canAsk } from '../../context.js';
import type { Invocation } from '../../invocation.js';
import { readSecret } from '../../read-secret.js';
import { objectCredentialView } from '../../views.js';
import {
  accessKeyFileFlag,
  addressing,
  forcePathStyleFlag,
  providerFlag,
  sessionTokenFileFlag,
} from './store-flags.js';

export function objectCredentialsUpdate(group: Group, invocation: Invocation): void {
  group
    .command('update')
    .description('Change an object credential, from the next presign on. What is not given stays as it is.')
    .argument('<credential_id>', 'the object credential')
    .option('--name <name>', 'a name for people')
    .option('--endpoint <url>', 'the https URL of the store, without a path')
    .option('--region <region>', 'the region that goes into the signature')
    .option('--access-key-id <id>', 'another access key: its public half')
    .option(...accessKeyFileFlag('with --access-key-id'))
    .option(...sessionTokenFileFlag)
    .option(...providerFlag)
    .addOption(forcePathStyleFlag('false'))
    .addOption(
      new Option('--status <status>', 'DISABLED refuses every presign until ACTIVE again').choices([
        'ACTIVE',
        'DISABLED',
      ]),
    )
    .action(async (credentialId, flags) => {
      const { context } = invocation;
      const { accessKeyId, secretAccessKeyFile, sessionTokenFile } = flags;
      if (Object.keys(flags).length === 0) throw invocation.usageError('give at least one flag to change');
      if (accessKeyId === undefined && secretAccessKeyFile !== undefined) {
        throw invocation.usageError('--secret-access-key-file needs --access-key-id');
      }
      if (accessKeyId !== undefined && !canAsk(context)) await invocation.fillIn(flags, ['secretAccessKeyFile']);
      const disabling = flags.status === 'DISABLED';
      invocation.requireConfirmable(disabling);
      const secretAccessKey = accessKeyId && (await readSecret(context, 'secretAccessKeyFile', secretAccessKeyFile));
      const sessionToken = sessionTokenFile && (await readSecret(context, 'sessionTokenFile', sessionTokenFile));
      const session = await invocation.connectToOwnTenant();
      if (disabling) {
        const tenant = await invocation.tenantOf(session);
        await invocation.confirm(`Disable the object credential ${credentialId} of tenant ${tenant}?`);
      }
      const credential = await session.client.objectCredentials.update(credentialId, {
        name: flags.name,
        endpoint: flags.endpoint,
        region: flags.region,
        access_key_id: accessKeyId,
        secret_access_key: secretAccessKey,
        session_token: sessionToken,
        ...addressing(flags),
        status: flags.status,
      });
      await invocation.printItem(credential, objectCredentialView);
    });
}
