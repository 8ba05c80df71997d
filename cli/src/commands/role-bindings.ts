import type { RoleBinding } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

/** The answer to a deletion has only the ids. */
const view: View<Pick<RoleBinding, 'client_id' | 'role'> & Partial<RoleBinding>> = {
  id: (binding) => `${binding.client_id} ${binding.role}`,
  columns: ['client_id', 'role', 'created_at'],
};

export function addRoleBindings(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'roleBindings');

  add('create', { view, call: ({ client, path, input }) => client.roleBindings.create(path.tenant_id, input) });
  add('list', { view, call: ({ client, path, input }) => client.roleBindings.list(path.tenant_id, input) });
  add('delete', {
    confirm: {
      question: ({ path }, tenant) => `Remove the role ${path.role} from ${path.client_id} of tenant ${tenant}?`,
    },
    view,
    call: ({ client, path }) => client.roleBindings.delete(path.tenant_id, path.client_id, path.role),
  });
}
