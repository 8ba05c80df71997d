import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { printOutcome } from './print-outcome.js';

export function commandsWait(group: Group, invocation: Invocation): void {
  group
    .command('wait')
    .description('Wait until a command is final, and show it. Exit code 8 unless it succeeded.')
    .argument('<command_id>', 'the command')
    .option('--wait-seconds <seconds>', 'how long to wait at most; 330 unless given', integer)
    .action(async (commandId, { waitSeconds }) => {
      const { client } = await invocation.connectToOwnTenant();
      await printOutcome(invocation, client, commandId, waitSeconds);
    });
}
