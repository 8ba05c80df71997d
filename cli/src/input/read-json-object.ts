import { resolve } from 'node:path';
import { parseJson } from '@tenant-open-platform/contract/strict-json';
import { type Context, readStdinBytes } from '../context.js';
import { UsageError } from '../errors.js';
import { inUtf8 } from './decode.js';

/** Reads the value of a flag that takes JSON, `@file`, or `-` for stdin. It refuses what the platform would refuse. */
export async function readJsonObject(
  context: Context,
  flag: string,
  argument: string,
): Promise<Record<string, unknown>> {
  return parseJsonObject(flag, await readArgumentBytes(context, flag, argument));
}

/** `place`: the name of the text in errors. */
export function parseJsonObject(place: string, bytes: Buffer): Record<string, unknown> {
  const parsed = parseJson(bytes, place);
  if ('problem' in parsed) throw new UsageError(`${parsed.problem.location}: ${parsed.problem.message}`);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${place} must be a JSON object: {…}`);
  }
  return value as Record<string, unknown>;
}

export async function readArgument(context: Context, flag: string, argument: string): Promise<string> {
  return (await readArgumentBytes(context, flag, argument)).toString('utf8');
}

/** The bytes of a flag: the argument itself, the content of `@file`, or stdin for `-`. */
export async function readArgumentBytes(context: Context, flag: string, argument: string): Promise<Buffer> {
  if (argument === '-') return inUtf8(await readStdinBytes(context), `the input of ${flag}`);
  if (!argument.startsWith('@')) return Buffer.from(argument);
  const path = argument.slice(1);
  const bytes = await context.fs.readFile(resolve(context.cwd, path)).catch((error: Error) => {
    throw new UsageError(`cannot read ${path} of ${flag}: ${error.message}`);
  });
  return inUtf8(bytes, path);
}
