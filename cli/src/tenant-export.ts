import { once } from 'node:events';
import type { TenantExportItem } from '@tenant-open-platform/sdk';
import type { Context } from './context.js';
import { interruptible } from './interruptible.js';
import { toJson } from './output/printable.js';
import { writeFileAtomically } from './write-file-atomically.js';

/** Writes an export as NDJSON to a file or to stdout. Returns how many items it has. */
export async function writeTenantExport(
  context: Context,
  path: string | undefined,
  read: (signal: AbortSignal) => AsyncIterable<TenantExportItem>,
): Promise<number> {
  if (path !== undefined) {
    return writeFileAtomically(context, path, (file, signal) =>
      writeLines(read(signal), (line) => file.appendFile(line)),
    );
  }
  const { stdout } = context;
  return interruptible(context, (signal) =>
    writeLines(read(signal), async (line) => {
      if (!stdout.write(line)) await once(stdout, 'drain');
    }),
  );
}

/** The last line tells a whole export from one that was cut off. */
async function writeLines(items: AsyncIterable<TenantExportItem>, write: (line: string) => Promise<unknown>) {
  let count = 0;
  for await (const item of items) {
    await write(`${toJson(item)}\n`);
    count += 1;
  }
  await write(`${toJson({ type: 'end', items: count })}\n`);
  return count;
}
