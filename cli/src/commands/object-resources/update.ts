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

export function objectResourcesUpdate(group: Group, invocation: Invocation): void {
  group
    .command('update')
    .description('Change an object resource, from the next presign on. What is not given stays as it is.')
    .argument('<resource_id>', 'the object resource')
    .option('--name <name>', 'a name for people')
    .option('--credential-id <credential_id>', 'the object credential')
    .option('--bucket <bucket>', 'the bucket')
    .option(...allowedOperationsFlag(''))
    .option(...keyPrefixFlag)
    .option(...allowedContentTypesFlag)
    .option(...maxObjectBytesFlag)
    .option(...maxExpiresInSecondsFlag)
    .addOption(
      new Option('--status <status>', 'DISABLED refuses every presign until ACTIVE again').choices([
        'ACTIVE',
        'DISABLED',
      ]),
    )
    .action(async (resourceId, flags) => {
      if (Object.keys(flags).length === 0) throw invocation.usageError('give at least one flag to change');
      const allowedOperations = flags.allowedOperations === undefined ? undefined : operations(flags.allowedOperations);
      const disabling = flags.status === 'DISABLED';
      invocation.requireConfirmable(disabling);
      const session = await invocation.connectToOwnTenant();
      if (disabling) {
        const tenant = await invocation.tenantOf(session);
        await invocation.confirm(`Disable the object resource ${resourceId} of tenant ${tenant}?`);
      }
      const resource = await session.client.objectResources.update(resourceId, {
        name: flags.name,
        credential_id: flags.credentialId,
        bucket: flags.bucket,
        allowed_operations: allowedOperations,
        key_prefix: flags.keyPrefix,
        allowed_content_types: contentTypes(flags.allowedContentTypes),
        max_object_bytes: flags.maxObjectBytes,
        max_expires_in_seconds: flags.maxExpiresInSeconds,
        status: flags.status,
      });
      await invocation.printItem(resource, objectResourceView);
    });
}
