import { resolve } from 'node:path';
import { type Context, readStdin } from './context.js';
import { UsageError } from './errors.js';

/** `@file`, `-` for stdin, or the JSON itself. */
export async function readPayload(context: Context, argument: string): Promise<Record<string, unknown>> {
  const text = await readArgument(context, argument);
  let payload: unknown;
  try {
    payload = JSON.parse(text, refuseRounding);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--payload is not JSON: ${(error as Error).message}`);
  }
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new UsageError('--payload must be a JSON object, such as {"speed": 3}');
  }
  return payload as Record<string, unknown>;
}

async function readArgument(context: Context, argument: string): Promise<string> {
  if (argument === '-') return readStdin(context);
  if (!argument.startsWith('@')) return argument;
  const path = argument.slice(1);
  try {
    return await context.fs.readFile(resolve(context.cwd, path), 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the payload ${path}: ${(error as Error).message}`);
  }
}

function refuseRounding(name: string, value: unknown): unknown {
  if (
    typeof value === 'number' &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
  ) {
    throw new UsageError(`--payload: the number ${name} is too large to be exact in JSON; send it as a string`);
  }
  return value;
}
