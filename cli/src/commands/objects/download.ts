import { once } from 'node:events';
import { resolve } from 'node:path';
import type { DownloadedObject } from '@tenant-open-platform/sdk';
import type { Group } from '../../commands.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import type { Invocation } from '../../invocation.js';
import { progressBar } from '../../progress-bar.js';
import { printable } from '../../table.js';
import { downloadedObjectView } from '../../views.js';
import { nullIfAbsent, writeWhole } from '../../write-whole.js';

export function objectsDownload(group: Group, invocation: Invocation): void {
  group
    .command('download')
    .description('Presign a download and fetch the object. A file appears whole or not at all.')
    .argument('<file>', 'the file to write, or - for stdout')
    .option('--resource-id <resource_id>', 'the object resource (required)')
    .option('--object-key <key>', "the key below the resource's prefix (required)")
    .action(async (file, flags) => {
      const { context } = invocation;
      const replaced = file === '-' ? null : await findReplaced(context, file);
      const given = await invocation.fillIn(flags, ['resourceId', 'objectKey'], { confirmed: replaced === null });
      if (replaced !== null) await invocation.confirm(`Replace ${printable(replaced)}?`);
      const { client } = await invocation.connectToOwnTenant();
      const bar = progressBar(context);
      const download = async (signal?: AbortSignal) => {
        const options = { onProgress: bar.show, signal };
        return asStored(await client.objects.download(given.resourceId, given.objectKey, options));
      };
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

/** The file that is there already, as it was named; behind a link, where that leads. Null for none. */
async function findReplaced({ fs, cwd }: Context, path: string): Promise<string | null> {
  const absolute = resolve(cwd, path);
  const look = async () => {
    const found = await fs.stat(absolute).catch(nullIfAbsent);
    return found && { isFile: found.isFile(), at: await fs.realpath(absolute) };
  };
  const found = await look().catch((error: Error) => {
    throw new UsageError(`cannot write ${path}: ${error.message}`);
  });
  if (!found) return null;
  if (!found.isFile) throw new UsageError(`${path} is not a file; - writes to stdout`);
  return found.at === absolute ? path : `${found.at}, where ${path} leads`;
}

/** fetch has decoded it already: it may be of any size, whatever was uploaded and signed. */
async function asStored(object: DownloadedObject): Promise<DownloadedObject> {
  if (object.content_encoding === null) return object;
  await object.body.cancel();
  throw new Error(
    `the store says Content-Encoding ${object.content_encoding}, so what arrives would not be what is stored; to get that, fetch the url of: topctl objects presign --operation DOWNLOAD`,
  );
}

async function writeToStdout({ stdout }: Context, { body }: DownloadedObject): Promise<void> {
  for await (const chunk of body) if (!stdout.write(chunk)) await once(stdout, 'drain');
}
