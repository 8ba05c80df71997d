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

const required = ['name', 'endpoint', 'region', 'accessKeyId'] as const;

export function objectCredentialsCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description("Register access to one of the tenant's own S3-compatible stores. Its secrets are never shown again.")
    .option('--name <name>', 'a name for people (required)')
    .option('--endpoint <url>', 'the https URL of the store, without a path (required)')
    .option('--region <region>', 'such as eu-central-1; us-east-1 for stores without regions (required)')
    .option('--access-key-id <id>', 'the public half of the access key (required)')
    .option(...accessKeyFileFlag('required'))
    .option(...sessionTokenFileFlag)
    .option(...providerFlag)
    .addOption(forcePathStyleFlag('unless given, false'))
    .addOption(new Option('--status <status>', 'ACTIVE unless given').choices(['ACTIVE', 'DISABLED']))
    .action(async (flags) => {
      const { context } = invocation;
      const given = await invocation.fillIn(flags, canAsk(context) ? required : [...required, 'secretAccessKeyFile']);
      const secretAccessKey = await readSecret(context, 'secretAccessKeyFile', given.secretAccessKeyFile);
      const sessionToken =
        given.sessionTokenFile && (await readSecret(context, 'sessionTokenFile', given.sessionTokenFile));
      const { client } = await invocation.connectToOwnTenant();
      const credential = await client.objectCredentials.create({
        name: given.name,
        endpoint: given.endpoint,
        region: given.region,
        access_key_id: given.accessKeyId,
        secret_access_key: secretAccessKey,
        session_token: sessionToken,
        ...addressing(given),
        status: given.status,
      });
      await invocation.printItem(credential, objectCredentialView);
    });
}
