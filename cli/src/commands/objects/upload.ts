import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Group } from '../../commands.js';
import { type Context, readStdinBytes } from '../../context.js';
import { UsageError } from '../../errors.js';
import type { Invocation } from '../../invocation.js';
import { progressBar } from '../../progress-bar.js';
import { uploadedObjectView } from '../../views.js';

export function objectsUpload(group: Group, invocation: Invocation): void {
  group
    .command('upload')
    .description('Presign an upload and send a file to the store. Its size, type and SHA-256 are signed.')
    .argument('<file>', 'the file, or - for stdin')
    .option('--resource-id <resource_id>', 'the object resource (required)')
    .option('--object-key <key>', "the key below the resource's prefix (required)")
    .option('--content-type <type>', 'the media type', 'application/octet-stream')
    .action(async (file, flags) => {
      const { resourceId, objectKey, contentType } = await invocation.fillIn(flags, ['resourceId', 'objectKey']);
      const { context } = invocation;
      const content = file === '-' ? new Blob([await readStdinBytes(context)]) : await openFile(context, file);
      const { client } = await invocation.connectToOwnTenant();
      const bar = progressBar(context);
      const options = { contentType, checksumSha256: await checksumOf(content), onProgress: bar.show };
      const uploaded = await client.objects.upload(resourceId, objectKey, content, options).finally(bar.wipe);
      await invocation.printItem(uploaded, uploadedObjectView);
    });
}

async function openFile({ cwd, fs, openAsBlob }: Context, path: string): Promise<Blob> {
  try {
    // openAsBlob takes a folder and a device too, and does not say why it fails.
    const file = await fs.open(resolve(cwd, path));
    const isFile = (await file.stat()).isFile();
    await file.close();
    if (!isFile) throw new Error('it is not a file');
    return await openAsBlob(resolve(cwd, path));
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

/** Read piece by piece, however large the file is. */
async function checksumOf(content: Blob): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content.stream()) hash.update(chunk);
  return hash.digest('base64');
}
