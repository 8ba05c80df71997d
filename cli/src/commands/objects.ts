import type { DownloadedObject, PresignedRequest, UploadedObject } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import { checksumOf, copyToStdout, findExisting, openContent } from '../object-content.js';
import { progressBar } from '../output/progress-bar.js';
import type { View } from '../output/render.js';
import { writeFileAtomically } from '../write-file-atomically.js';

const uploadedView: View<UploadedObject> = {
  id: (object) => object.object_key,
  columns: ['object_key', 'content_type', 'content_length', 'etag'],
};

const downloadedView: View<Omit<DownloadedObject, 'body' | 'bytes' | 'blob' | 'text'>> = {
  id: (object) => object.object_key,
  columns: ['object_key', 'content_type', 'content_length', 'etag'],
};

/** The object resource of the examples. */
const RESOURCE = '019bd3a4-5c4e-7a55-9e84-ad4e5f607182';

const presignedView: View<PresignedRequest> = {
  id: (presigned) => presigned.presign_id,
  columns: ['presign_id', 'operation', 'object_key', 'expires_at'],
};

export function addObjects(program: Command, invocation: Invocation): void {
  const { context } = invocation;
  const add = addResource(program, invocation, 'objects');

  add('presign', {
    as: 'upload',
    examples: [`topctl objects upload pump-7.bin --resource-id ${RESOURCE} --object-key pump-7/2.4.1.bin`],
    summary: 'Upload a file.',
    description: 'Presigns an upload and sends the file to the store. Its size, content type and SHA-256 are signed.',
    args: { file: 'The file, or - for stdin.' },
    only: ['resource_id', 'object_key', 'content_type'],
    fields: { content_type: { description: 'The media type.', default: 'application/octet-stream' } },
    run: async ({ client, args, input: { resource_id, object_key, content_type: contentType } }) => {
      const content = await openContent(context, args.file);
      const bar = progressBar(context);
      const options = { contentType, checksumSha256: await checksumOf(content), onProgress: bar.show };
      const uploaded = await client.objects.upload(resource_id, object_key, content, options).finally(bar.wipe);
      await invocation.printItem(uploaded, uploadedView);
    },
  });
  add('presign', {
    as: 'download',
    examples: [`topctl objects download pump-7.bin --resource-id ${RESOURCE} --object-key pump-7/2.4.1.bin`],
    summary: 'Download an object.',
    description: 'Presigns a download and fetches the object. The file is written completely or not at all.',
    args: { file: 'The file to write, or - for stdout.' },
    only: ['resource_id', 'object_key'],
    run: async ({ client, args: { file }, input: { resource_id, object_key } }) => {
      const existing = file === '-' ? null : await findExisting(context, file);
      if (existing !== null) await invocation.confirm(`Replace ${existing}?`);
      const bar = progressBar(context);
      const download = async (signal?: AbortSignal) =>
        refuseEncoded(await client.objects.download(resource_id, object_key, { onProgress: bar.show, signal }));
      try {
        if (file === '-') return await copyToStdout(context, (await download()).body);
        const object = await writeFileAtomically(context, file, async (written, signal) => {
          const { body, bytes: _, blob: __, text: ___, ...described } = await download(signal);
          for await (const chunk of body) await written.writeFile(chunk);
          return described;
        });
        bar.wipe();
        await invocation.printItem(object, downloadedView);
      } finally {
        bar.wipe();
      }
    },
  });
  add('presign', {
    run: async ({ client, input }) => {
      const presigned = await client.objects.presign(input);
      await invocation.printItem(presigned, presignedView);
      invocation.note(`Anyone who has the URL can use it until ${presigned.expires_at}.`);
    },
  });
}

/** fetch has decoded the body, so it differs from the stored object, and its size is unlimited. */
async function refuseEncoded(object: DownloadedObject): Promise<DownloadedObject> {
  if (object.content_encoding === null) return object;
  await object.body.cancel();
  throw new Error(
    `the store answered with Content-Encoding ${object.content_encoding}, so the download would differ from the stored object; to get the stored bytes, fetch the url of: topctl objects presign --operation DOWNLOAD`,
  );
}
