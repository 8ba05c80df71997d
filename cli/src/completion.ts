import type { Command } from '@commander-js/extra-typings';
import type { Context } from './context.js';

/** `completion` prints the script for a shell; `complete` is what that script calls at every Tab. */
const names = ['completion', 'complete'];

/** Loaded only where it is asked for, because it walks through all commands. */
export async function addCompletion({ argv }: Context, program: Command<[], Record<string, unknown>>): Promise<void> {
  if (!names.includes(argv[0] ?? '')) return;
  const { default: tab } = await import('@bomb.sh/tab/commander');
  tab(program as unknown as Parameters<typeof tab>[0], { completionCommandName: 'completion' });
}
