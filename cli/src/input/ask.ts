import type { Context } from '../context.js';
import { CancelledError } from '../errors.js';

export async function askText(context: Context, message: string): Promise<string> {
  const { text } = await import('./prompts.js');
  return answered(await text({ message, validate: nonEmpty, input: context.stdin, output: context.stderr }));
}

export async function askChoice(context: Context, message: string, choices: readonly string[]): Promise<string> {
  const { select } = await import('./prompts.js');
  const options = choices.map((value) => ({ value }));
  return answered(await select({ message, options, input: context.stdin, output: context.stderr }));
}

export async function askSecret(context: Context, message: string): Promise<string> {
  const { password } = await import('./prompts.js');
  return answered(await password({ message, validate: nonEmpty, input: context.stdin, output: context.stderr }));
}

export async function askWhether(context: Context, message: string): Promise<boolean> {
  const { confirm } = await import('./prompts.js');
  return answered(await confirm({ message, initialValue: false, input: context.stdin, output: context.stderr }));
}

function nonEmpty(value: string | undefined): string | undefined {
  return value ? undefined : 'is required';
}

function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (typeof answer === 'symbol') throw new CancelledError('cancelled');
  return answer as Exclude<Answer, symbol>;
}
