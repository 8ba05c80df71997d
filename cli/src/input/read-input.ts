import { canAsk } from '../context.js';
import type { Invocation } from '../invocation.js';
import { readSecret } from '../secrets/read-secret.js';
import { askChoice, askText } from './ask.js';
import { didYouMean } from './did-you-mean.js';
import { type Field, flagOf } from './field.js';
import { readJsonObject } from './read-json-object.js';

export type Input = Record<string, unknown>;

type Options = {
  /** Returns a problem that concerns several values. Files are not read yet. */
  check?: ((input: Input) => string | undefined) | undefined;
  /** Fields that are required because of other fields. */
  requires?: ((input: Input) => readonly string[]) | undefined;
  /** What the user must confirm before anything is sent. */
  confirmation?: ((input: Input) => Promise<string | undefined>) | undefined;
};

/**
 * The values of the flags in the form of the request. Prompts for missing required ones; without a terminal it fails
 * and names all of them. Nothing is sent before this returns.
 */
export async function readInput(
  invocation: Invocation,
  fields: Readonly<Record<string, Field>>,
  flags: Readonly<Record<string, unknown>>,
  { check, requires, confirmation }: Options = {},
): Promise<Input> {
  const { context } = invocation;
  const input: Input = {};
  const parsed = (name: string, field: Field, text: unknown) => {
    input[name] = typeof text === 'string' ? parseFlag(invocation, name, field, text) : text;
  };
  for (const [name, field] of Object.entries(fields)) if (flags[name] !== undefined) parsed(name, field, flags[name]);
  const also = requires?.(input) ?? [];
  const missing = Object.entries(fields).filter(
    ([name, { isRequired }]) => input[name] === undefined && (isRequired || also.includes(name)),
  );
  if (!canAsk(context)) {
    const names = missing.map(([name, field]) => flagOf(name, field));
    const question = invocation.isConfirmed ? undefined : await confirmation?.(input);
    if (question !== undefined) throw invocation.unconfirmed(question, names);
    if (names.length > 0) throw invocation.usageError(`missing ${names.join(', ')}`);
  }
  for (const [name, field] of missing)
    if (field.kind !== 'secret') parsed(name, field, await ask(invocation, name, field));
  const problem = check?.(input);
  if (problem !== undefined) throw invocation.usageError(problem);
  for (const [name, field] of Object.entries(fields)) {
    const given = input[name] as string | undefined;
    if (field.kind === 'object' && given !== undefined) {
      input[name] = await readJsonObject(context, flagOf(name, field), given);
    }
    if (field.kind === 'secret' && (given !== undefined || missing.some(([other]) => other === name))) {
      input[name] = await readSecret(context, flagOf(name, field), given);
    }
  }
  return input;
}

/**
 * The value of a flag in the form of the request. Objects and secrets stay unchanged, because they may be in a file.
 */
export function parseFlag(invocation: Invocation, name: string, field: Field, text: string): unknown {
  const { kind, nullWord, choices } = field;
  const flag = flagOf(name, field);
  if (text === nullWord) return null;
  switch (kind) {
    case 'integer':
      // The platform checks the range. This check prevents that `5m` is read as 5, and keeps every digit exact.
      if (/^[0-9]{1,15}$/.test(text)) return Number(text);
      throw invocation.usageError(`${flag} must be an integer in decimal digits`);
    case 'boolean':
      return text === 'true';
    case 'list': {
      const items = text === 'none' ? [] : text.split(',');
      const unknown = choices && items.find((item) => !choices.includes(item));
      if (unknown === undefined) return items;
      throw invocation.usageError(
        `${flag} must be one or more of ${choices?.join(', ')}, separated by commas.${didYouMean(unknown, choices ?? [])}`,
      );
    }
    default:
      return text;
  }
}

function ask({ context }: Invocation, name: string, field: Field): Promise<string> {
  const question = `${flagOf(name, field)}: ${field.description}`;
  const choices = field.kind === 'boolean' ? ['true', 'false'] : field.kind === 'list' ? undefined : field.choices;
  return choices ? askChoice(context, question, choices) : askText(context, question);
}
