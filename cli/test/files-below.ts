import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Every file below a directory: its path, permissions and text. */
export async function filesBelow(directory: string): Promise<Record<string, { mode: string; text: string }>> {
  const files: Record<string, { mode: string; text: string }> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    files[path.slice(directory.length + 1)] = { mode: (mode & 0o777).toString(8), text: await readFile(path, 'utf8') };
  }
  return files;
}
