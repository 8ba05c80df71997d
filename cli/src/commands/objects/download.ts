import { once } from 'node:events';
import { resolve } from 'node:path';
import type { DownloadedObject } from '@tenant-open-platform/sdk';
import type { Group } from '../../commands.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import type { Invocation } from '../../invocation.js';
import { progressBar } from '../../progress-bar.js';
import { downloadedObjectView } from '../../views.js';
import { writeWhole } from '../../write-whole.js';

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
      const bar = progressBar(context);
      const download = (signal?: AbortSignal) =>
        client.objects.download(given.resourceId, given.objectKey, { onProgress: bar.show, signal });
      try {
        if (file === '-') return await writeToStdout(context, await download());
        const object = await writeWhole(context, file, async (written, signal) => {
          const { body, bytes: _, blob: __, text: ___, ...described } = await download(signal);
          for await (const chunk of body) await written.writeFile(chunk);
          return described;
        });
        bar.wipe();
        await invocation.printItem(object, downloadedObjectView);
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
