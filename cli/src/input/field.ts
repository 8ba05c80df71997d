import { InvalidArgumentError, Option } from 'commander';
import { didYouMean } from './did-you-mean.js';

export type Kind = 'text' | 'path' | 'instant' | 'integer' | 'boolean' | 'list' | 'object' | 'secret' | 'switch';

/** A value that a command takes as a flag. The name of the field gives the name of the flag. */
export type Field = {
  kind: Kind;
  description: string;
  /** The allowed values; for a list, of its items. */
  choices?: readonly string[];
  isRequired?: boolean;
  /** The word for null on the command line. */
  nullWord?: string;
  default?: string;
  /** What stands for the value in the help, if it is not the name of the field. */
  placeholder?: string;
};

type Value = {
  text: string;
  path: string;
  instant: string;
  integer: number;
  boolean: boolean;
  list: string[];
  object: Record<string, unknown>;
  secret: string;
  switch: true;
};

export type ValuesOf<Fields> = {
  [Name in keyof Fields]?: Fields[Name] extends { kind: infer K extends Kind } ? Value[K] : never;
};

/** `client_id` → `--client-id`. A secret comes from a file, because every user of the machine can read the arguments. */
export function flagOf(name: string, { kind }: Pick<Field, 'kind'>): string {
  return `--${name.replaceAll('_', '-')}${kind === 'secret' ? '-file' : ''}`;
}

/** A Commander flag whose value has the name of the field. */
export class FieldOption extends Option {
  constructor(
    readonly fieldName: string,
    readonly field: Field,
  ) {
    super(syntaxOf(fieldName, field), describe(field));
    if (field.kind === 'boolean') this.choices(['true', 'false']);
    else if (field.kind === 'list') this.argParser(joined);
    else if (field.choices) this.choices(field.choices).argParser(oneOf(field.choices));
    if (field.default !== undefined) this.default(field.default);
  }

  override attributeName(): string {
    return this.fieldName;
  }
}

const oneOf = (choices: readonly string[]) => (text: string) => {
  if (choices.includes(text)) return text;
  throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.${didYouMean(text, choices)}`);
};

/** A longer placeholder would move all descriptions of the help to the right. */
const MAX_PLACEHOLDER = 16;

function syntaxOf(name: string, field: Field): string {
  const flag = flagOf(name, field);
  const lastWord = name.split('_').at(-1);
  switch (field.kind) {
    case 'switch':
      return flag;
    case 'secret':
      return `${flag} <path|->`;
    case 'object':
      return `${flag} <json|@file|->`;
    case 'list': {
      const singular = flag.replace(/(?<!u)s$/, '');
      return `${singular === flag ? flag : `${singular}, ${flag}`} <${lastWord}>`;
    }
    case 'integer':
      return `${flag} <${lastWord}>`;
    case 'text':
      return `${flag} <${field.placeholder ?? (name.length > MAX_PLACEHOLDER ? lastWord : name)}>`;
    default:
      return `${flag} <${field.kind}>`;
  }
}

function describe({ kind, description, choices, isRequired }: Field): string {
  const values = kind === 'list' && choices ? ` One or more of ${choices.join(', ')}.` : '';
  return `${description}${values}${isRequired ? ' (required)' : ''}`;
}

/** A list is separated by commas, or the flag is repeated for each item. */
function joined(text: string, before: string | undefined): string {
  return before === undefined ? text : `${before},${text}`;
}
