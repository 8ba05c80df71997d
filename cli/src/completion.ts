import type { Command } from 'commander';
import type { Context } from './context.js';

/** `completion` prints the script for a shell. That script calls `complete` at every Tab. */
const names = ['completion', 'complete'];

/** Loaded only for these two commands, because it visits every command. */
export async function addCompletion({ argv }: Context, program: Command): Promise<void> {
  const [first, second] = argv;
  if (!names.includes((first === 'help' ? second : first) ?? '')) return;
  const { default: tab } = await import('@bomb.sh/tab/commander');
  tab(program, { completionCommandName: 'completion' });
}
