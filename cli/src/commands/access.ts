import type { AccessExplanation, Holder } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { grantCommands } from '../failure/grant-command.js';
import { addResource } from '../input/add-operation.js';
import { didYouMean } from '../input/did-you-mean.js';
import type { Invocation } from '../invocation.js';
import { operations } from '../operations.gen.js';
import type { View } from '../output/render.js';

const explanation: View<AccessExplanation> = {
  id: (answer) => answer.client_id,
  columns: ['client_id', 'operation', 'granted', 'reason'],
};

const holder: View<Holder> = {
  id: (holder) => holder.client_id,
  columns: ['client_id', 'status', 'grants'],
  row: (holder) => ({ ...holder, grants: holder.grants.map(({ role, scope }) => role ?? `policy ${scope}`) }),
};

export function addAccess(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'access');

  add('explain', {
    check: ({ operation = '' }) =>
      operation in operations
        ? undefined
        : `--operation: there is no operation ${operation}.${didYouMean(operation, Object.keys(operations))}`,
    run: async ({ client, path, input }) => {
      const answer = await client.access.explain(path.tenant_id, path.client_id, input);
      await invocation.printItem(answer, explanation);
      const { client_id: clientId, operation, scope, granting_roles: roles } = answer;
      if (answer.reason === 'TENANT_PLATFORM_ONLY') {
        invocation.note(`Only credentials of tenant platform may call ${operation}.`);
      }
      if (answer.reason === 'SCOPE_MISSING' && scope !== null) {
        const [only, more] = grantCommands({ clientId, scope, roles, tenant: path.tenant_id });
        invocation.note(`${clientId} gets it with: ${only}`);
        if (more) invocation.note(`or a role, which grants more: ${more}`);
      }
    },
  });
  add('list', { view: holder, call: ({ client, path, input }) => client.access.list(path.tenant_id, input) });
}
