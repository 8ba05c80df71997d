import { resolve } from 'node:path';
import { askSecret } from './ask.js';
import { type Context, readStdin } from './context.js';
import { UsageError } from './errors.js';
import { flagName } from './flags.js';

/**
 * A secret that belongs into no argument, where every user of the machine could read it: from a file, from stdin where
 * the flag says `-`, or asked for.
 */
export async function readSecret(context: Context, option: string, path: string | undefined): Promise<string> {
  if (path === undefined) return askSecret(context, flagName(option).replace(/-file$/, ''));
  const text = path === '-' ? await readStdin(context) : await readFile(context, option, path);
  if (text.trim() === '') throw new UsageError(`${flagName(option)} ${path} holds nothing`);
  return text.trim();
}

async function readFile({ fs, cwd }: Context, option: string, path: string): Promise<string> {
  try {
    return await fs.readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${path} of ${flagName(option)}: ${(error as Error).message}`);
  }
}
