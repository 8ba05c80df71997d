import type { Command } from 'commander';

const WIDTH = 80;
const INDENT = '  ';

/** Adds examples to the help of a command. A test runs each of them. */
export function addExamples(command: Command, examples: readonly string[]): Command {
  const texts = examples.map((example) => `${INDENT}${inLines(example)}`);
  return command.addHelpText('after', `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${texts.join('\n')}`);
}

/** A long command continues on the next line, as a shell reads it. */
function inLines(command: string): string {
  const lines: string[] = [];
  let line = '';
  for (const part of command.split(/ (?=--)/)) {
    const isFull = line !== '' && INDENT.length + line.length + 1 + part.length + ' \\'.length > WIDTH;
    if (isFull) lines.push(line);
    line = line === '' ? part : isFull ? `${INDENT}${INDENT}${part}` : `${line} ${part}`;
  }
  return [...lines, line].join(' \\\n');
}
