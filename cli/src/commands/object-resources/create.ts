import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { objectResourceView } from '../../views.js';
import {
  allowedContentTypesFlag,
  allowedOperationsFlag,
  contentTypes,
  keyPrefixFlag,
  maxExpiresInSecondsFlag,
  maxObjectBytesFlag,
  operations,
} from './policy-flags.js';

export function objectResourcesCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description('Allow presigned access to a part of a bucket.')
    .option('--name <name>', 'a name for people (required)')
    .option('--credential-id <credential_id>', 'the object credential: topctl object-credentials list (required)')
    .option('--bucket <bucket>', 'the bucket (required)')
    .option(...allowedOperationsFlag(' (required)'))
    .option(...keyPrefixFlag)
    .option(...allowedContentTypesFlag)
    .option(...maxObjectBytesFlag)
    .option(...maxExpiresInSecondsFlag)
    .addOption(new Option('--status <status>', 'ACTIVE unless given').choices(['ACTIVE', 'DISABLED']))
    .action(async (flags) => {
      const given = await invocation.fillIn(flags, ['name', 'credentialId', 'bucket', 'allowedOperations']);
      const allowedOperations = operations(given.allowedOperations);
      const { client } = await invocation.connectToOwnTenant();
      const resource = await client.objectResources.create({
        name: given.name,
        credential_id: given.credentialId,
        bucket: given.bucket,
        allowed_operations: allowedOperations,
        key_prefix: given.keyPrefix,
        allowed_content_types: contentTypes(given.allowedContentTypes),
        max_object_bytes: given.maxObjectBytes,
        max_expires_in_seconds: given.maxExpiresInSeconds,
        status: given.status,
      });
      await invocation.printItem(resource, objectResourceView);
    });
}
