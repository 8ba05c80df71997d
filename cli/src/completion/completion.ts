import { Argument, type Command } from 'commander';
import type { Context } from '../context.js';

/** `completion` prints the script for a shell. That script calls `complete` at every Tab. */
const names = ['completion', 'complete'];

/** Only for these two commands, so that no help shows them. */
export function addCompletion({ argv, ...context }: Context, program: Command): void {
  const [first, second] = argv;
  if (!names.includes((first === 'help' ? second : first) ?? '')) return;
  program
    .command('completion')
    .description('Print the script that turns on completion with Tab.')
    .addArgument(new Argument('<shell>', 'The shell.').choices(['zsh', 'bash', 'fish', 'powershell']))
    .action(async (shell: string) => {
      const { script } = await import('@bomb.sh/tab');
      script(shell as 'bash', 'topctl', 'topctl');
    });
  program
    .command('complete', { hidden: true })
    .description('Print what may follow these words. The script for a shell calls it.')
    .usage('-- [words...]')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { complete } = await import('./complete.js');
      context.stdout.write(await complete({ argv, ...context }, program, words));
    });
}
