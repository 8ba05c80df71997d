import { resolve } from 'node:path';
import { type Context, readStdin } from '../context.js';
import { UsageError } from '../errors.js';

/** Reads the value of a flag that takes JSON, `@file`, or `-` for stdin. */
export async function readJsonObject(
  context: Context,
  flag: string,
  argument: string,
): Promise<Record<string, unknown>> {
  const text = await readArgument(context, flag, argument);
  let value: unknown;
  try {
    value = JSON.parse(text, (name, part) => refuseRounding(flag, name, part));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${flag} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${flag} must be a JSON object: {…}`);
  }
  return value as Record<string, unknown>;
}

/** The text of a flag: the argument itself, the content of `@file`, or stdin for `-`. */
export async function readArgument(context: Context, flag: string, argument: string): Promise<string> {
  if (argument === '-') return readStdin(context);
  if (!argument.startsWith('@')) return argument;
  const path = argument.slice(1);
  try {
    return await context.fs.readFile(resolve(context.cwd, path), 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${path} of ${flag}: ${(error as Error).message}`);
  }
}

function refuseRounding(flag: string, name: string, value: unknown): unknown {
  if (
    typeof value === 'number' &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
  ) {
    throw new UsageError(`${flag}: the number ${name} is too large to be exact in JSON; use a smaller one or a string`);
  }
  return value;
}
