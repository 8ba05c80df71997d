import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { textIn } from '../input/decode.js';
import { messageLines } from '../output/message.js';

/** The JSON of a file with secrets; undefined if there is no such file. Warns if others can read it. */
export async function readPrivateJson({ fs, stderr }: Context, path: string): Promise<unknown> {
  let bytes: Buffer;
  try {
    const { mode } = await fs.stat(path);
    bytes = await fs.readFile(path);
    if (process.platform !== 'win32' && mode & 0o077) {
      const warning = `warning: others can read the secret in ${path}; run: chmod 600 ${path}`;
      stderr.write(`${messageLines(stderr, warning)}\n`);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new UsageError(`cannot read ${path}: ${message}`);
  }
  const text = textIn(bytes, path);
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser would quote the text, which contains a secret.
    throw new UsageError(`${path} is not JSON`);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
