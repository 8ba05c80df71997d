import { resolve } from 'node:path';
import { type Context, readStdinBytes } from '../context.js';
import { UsageError } from '../errors.js';
import { askSecret } from '../input/ask.js';
import { textIn } from '../input/decode.js';

/** The secret in a file, or on stdin if the path is `-`. Without a path, it is asked for at the prompt. */
export async function readSecret(context: Context, flag: string, path: string | undefined): Promise<string> {
  if (path === undefined) return askSecret(context, flag.replace(/-file$/, ''));
  const bytes = path === '-' ? await readStdinBytes(context) : await readFile(context, flag, path);
  const text = textIn(bytes, `${flag} ${path}`);
  if (text.trim() === '') throw new UsageError(`${flag} ${path} is empty`);
  return text.trim();
}

async function readFile({ fs, cwd }: Context, flag: string, path: string): Promise<Buffer> {
  try {
    return await fs.readFile(resolve(cwd, path));
  } catch (error) {
    throw new UsageError(`cannot read ${path} of ${flag}: ${(error as Error).message}`);
  }
}
