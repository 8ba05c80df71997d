import type { Context } from '../context.js';
import { printableLines } from './printable.js';
import { widthOf } from './text-width.js';

/** Behind a colon: a command to type, or a part of one. */
const COMMAND = /(?<=: )(?:topctl|chmod) |(?<=(?:here|effect): )--/;

/**
 * The lines of a message. On a terminal, a line that is too wide is wrapped between words. Some terminals give 0 as their
 * width.
 */
export function messageLines({ isTTY, columns }: Context['stderr'], text: string): string {
  const lines = printableLines(text).split('\n');
  return (isTTY ? lines.flatMap((line) => wrapped(line, columns || 80)) : lines).join('\n');
}

/** A wrapped command can be pasted: its lines end with a backslash. */
function wrapped(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const commandAt = line.search(COMMAND);
  const proseEnd = commandAt < 0 ? line.length : commandAt;
  const prose = line.slice(0, proseEnd).match(/ *[^ ]+/g) ?? [];
  const command = line.slice(proseEnd).match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? [];
  const words = [...prose, ...command.map((word) => ` ${word}`)];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines = [];
  let current = '';
  for (const [index, word] of words.entries()) {
    const isCommand = index >= prose.length;
    if (current !== '' && widthOf(current + word) > width - (isCommand ? 2 : 0)) {
      lines.push(index > prose.length ? `${current} \\` : current);
      current = `${indent}  ${word.trimStart()}`;
    } else current += word;
  }
  return [...lines, current];
}
