import type { Argument, Command, Option } from 'commander';
import type { Context } from '../context.js';
import { FieldOption } from '../input/field.js';
import { valuesOf } from './values.js';

type Candidate = { word: string; description?: string };

/** What the scripts of @bomb.sh/tab read after the words: whether the shell may complete names of files instead. */
const NO_FILES = 4;
const FILES = 0;

/** Bash expands what it is offered: a name such as `$(…)` of a stranger's vendor would run on the user's machine. */
const SAFE = /^[\w@%+=:,./-]+$/;

/** The lines that a script reads: a line for each word that may stand in place of the last one, and a directive. */
export async function complete(context: Context, program: Command, words: readonly string[]): Promise<string> {
  const { command, awaiting, given } = read(program, words.slice(0, -1));
  const last = words.at(-1) ?? '';
  const [, flag, text] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
  const option = awaiting ?? (flag === undefined ? undefined : optionOf(command, flag));
  if (!option && last.startsWith('-')) return lines(flagsOf(command), last);
  if (!option && command.commands.length > 0) return lines(subcommandsOf(command), last);
  const target = option ?? command.registeredArguments[given.positional];
  if (!target) return lines([], last);
  const typed = awaiting || text === undefined ? last : text;
  // A list is completed behind its last comma.
  const before = target instanceof FieldOption && target.field.kind === 'list' ? typed.replace(/[^,]*$/, '') : '';
  const name = command.parent?.name() === 'profile' ? 'profile' : nameOf(target);
  const values = choicesOf(target) ?? (await valuesOf(context, name, given.values));
  const candidates = values.map((value) => ({ word: `${before}${value}` }));
  return lines(candidates, typed, takesFile(target) ? FILES : NO_FILES);
}

/** Reads whole words: the command, the values of flags and arguments, and the flag that still awaits its value. */
function read(program: Command, words: readonly string[]) {
  let command = program;
  let awaiting: Option | undefined;
  const given = { values: {} as Record<string, string>, positional: 0 };
  for (const word of words) {
    if (awaiting) {
      given.values[nameOf(awaiting)] = word;
      awaiting = undefined;
    } else if (word.startsWith('-') && word !== '-') {
      const [, flag = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const option = optionOf(command, flag);
      if (!option || !(option.required || option.optional)) continue;
      if (value === undefined) awaiting = option;
      else given.values[nameOf(option)] = value;
    } else {
      const sub = command.commands.find((each) => each.name() === word);
      const argument = command.registeredArguments[given.positional];
      if (sub) command = sub;
      else if (argument) {
        given.values[argument.name()] = word;
        given.positional += 1;
      }
    }
  }
  return { command, awaiting, given };
}

/** The flags of a command and of topctl. */
function optionsOf(command: Command): Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

const optionOf = (command: Command, flag: string) =>
  optionsOf(command).find(({ short, long }) => flag === short || flag === long);

const flagsOf = (command: Command): Candidate[] =>
  optionsOf(command).flatMap(({ short, long, description }) =>
    [short, long].flatMap((word) => (word?.startsWith('--') ? [{ word, description }] : [])),
  );

const subcommandsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), description: each.summary() || each.description() }));

const nameOf = (target: Option | Argument): string =>
  target instanceof FieldOption ? target.fieldName : 'attributeName' in target ? target.attributeName() : target.name();

const choicesOf = (target: Option | Argument): readonly string[] | undefined =>
  target.argChoices ?? (target instanceof FieldOption ? target.field.choices : undefined);

const takesFile = (target: Option | Argument) => 'flags' in target && target.flags.includes('<path');

function lines(candidates: readonly Candidate[], typed: string, directive = NO_FILES): string {
  const fitting = candidates.filter(({ word }) => word.startsWith(typed) && SAFE.test(word));
  const words = fitting.map(({ word, description = '' }) => `${word}\t${description.split('\n')[0]}\n`);
  return `${[...new Set(words)].join('')}:${directive}\n`;
}
