import type { Role } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

/** The answer to a deletion has only the name. */
const view: View<Pick<Role, 'role'> & Partial<Role>> = {
  id: (role) => role.role,
  columns: ['role', 'built_in', 'scopes'],
};

export function addRoles(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'roles');

  add('list', { view, call: ({ client, path, input }) => client.roles.list(path.tenant_id, input) });
  add('put', {
    fields: {
      scopes: {
        description:
          'All scopes of the role: separated by commas, or one flag for each, or "none". Scopes that you omit are no longer granted.',
      },
    },
    view,
    call: ({ client, path, input }) => client.roles.put(path.tenant_id, path.role, input),
  });
  add('delete', {
    confirm: { question: ({ path }, tenant) => `Delete the role ${path.role} of tenant ${tenant}?` },
    view,
    call: ({ client, path }) => client.roles.delete(path.tenant_id, path.role),
  });
}
