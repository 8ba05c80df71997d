import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { presignedRequestView } from '../../views.js';

export function objectsPresign(group: Group, invocation: Invocation): void {
  group
    .command('presign')
    .description('Sign one request to a store, for somebody who has no credentials there.')
    .addOption(new Option('--operation <operation>', 'what the URL is good for (required)').choices(operations))
    .option('--resource-id <resource_id>', 'the object resource (required)')
    .option('--object-key <key>', "the key below the resource's prefix (required)")
    .option('--expires-in-seconds <seconds>', "how long the URL is good: 1 to the resource's maximum", integer)
    .option('--content-type <type>', 'UPLOAD needs it: the media type, which the store then insists on')
    .option('--content-length <bytes>', 'UPLOAD needs it: the size, which the store then insists on', integer)
    .option('--checksum-sha256 <base64>', 'UPLOAD: SHA-256 of the content, which the store then insists on')
    .option('--response-content-disposition <text>', 'DOWNLOAD: such as attachment; filename="log.txt"')
    .action(async (flags) => {
      const given = await invocation.fillIn(flags, ['operation', 'resourceId', 'objectKey']);
      const { client } = await invocation.connectToOwnTenant();
      const presigned = await client.objects.presign({
        operation: given.operation,
        resource_id: given.resourceId,
        object_key: given.objectKey,
        expires_in_seconds: given.expiresInSeconds,
        content_type: given.contentType,
        content_length: given.contentLength,
        checksum_sha256: given.checksumSha256,
        response_content_disposition: given.responseContentDisposition,
      });
      await invocation.printItem(presigned, presignedRequestView);
      invocation.note(`Whoever has the URL may use it until ${presigned.expires_at}.`);
    });
}

const operations = ['UPLOAD', 'DOWNLOAD'] as const;
