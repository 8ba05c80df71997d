import { once } from 'node:events';
import { resolve } from 'node:path';
import type { DownloadedObject } from '@tenant-open-platform/sdk/objects';
import type { Group } from '../../commands.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import type { Invocation } from '../../invocation.js';
import { progressBar } from '../../progress-bar.js';
import { downloadedObjectView } from '../../views.js';

export function objectsDownload(group: Group, invocation: Invocation): void {
  group
    .command('download')
    .description('Presign a download and fetch the object. A file appears whole or not at all.')
    .argument('<file>', 'the file to write, or - for stdout')
    .option('--resource-id <resource_id>', 'the object resource (required)')
    .option('--object-key <key>', "the key below the resource's prefix (required)")
    .action(async (file, flags) => {
      const { context } = invocation;
      const replaces = file !== '-' && (await isThere(context, file));
      const given = await invocation.fillIn(flags, ['resourceId', 'objectKey'], { confirmed: !replaces });
      if (replaces) await invocation.confirm(`Replace ${file}?`);
      const { client } = await invocation.connectToOwnTenant();
      const { downloadObject } = await import('@tenant-open-platform/sdk/objects');
      const bar = progressBar(context);
      const onProgress = bar.show;
      try {
        const download = () => downloadObject(client, given.resourceId, given.objectKey, { onProgress });
        if (file === '-') return await writeToStdout(context, await download());
        const object = await writeWhole(context, file, download);
        const { body: _, bytes: __, blob: ___, text: ____, ...described } = object;
        bar.wipe();
        await invocation.printItem(described, downloadedObjectView);
      } finally {
        bar.wipe();
      }
    });
}

async function isThere({ fs, cwd }: Context, path: string): Promise<boolean> {
  const found = await fs.stat(resolve(cwd, path)).catch(() => null);
  if (found && !found.isFile()) throw new UsageError(`${path} is not a file; - writes to stdout`);
  return found !== null;
}

async function writeToStdout({ stdout }: Context, { body }: DownloadedObject): Promise<void> {
  for await (const chunk of body) if (!stdout.write(chunk)) await once(stdout, 'drain');
}

/**
 * Beside the file and then in its place: nobody sees a part of it, and a failure leaves what was there. What cannot be
 * written is not fetched: a body that nobody reads would keep the process waiting for the store.
 */
async function writeWhole(
  { fs, cwd }: Context,
  path: string,
  download: () => Promise<DownloadedObject>,
): Promise<DownloadedObject> {
  const temporary = `${resolve(cwd, path)}.${crypto.randomUUID()}.part`;
  const file = await fs.open(temporary, 'wx').catch((error: Error) => {
    throw new UsageError(`cannot write ${path}: ${error.message}`);
  });
  try {
    let object: DownloadedObject;
    try {
      object = await download();
      for await (const chunk of object.body) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(temporary, resolve(cwd, path));
    return object;
  } catch (error) {
    await fs.unlink(temporary);
    throw error;
  }
}
