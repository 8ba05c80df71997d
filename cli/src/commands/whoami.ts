import type { Group } from '../commands.js';
import type { Invocation } from '../invocation.js';
import { showMe } from './me/get.js';

export function whoami(group: Group, invocation: Invocation): void {
  group
    .command('whoami')
    .description('Show the credential that signs, its roles, scopes and limits.')
    .action(() => showMe(invocation));
}
