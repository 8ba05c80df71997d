import type { Policy } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

/** The answer to a deletion has only the id. */
const view: View<Pick<Policy, 'policy_id'> & Partial<Policy>> = {
  id: (policy) => policy.policy_id,
  columns: ['policy_id', 'client_id', 'scope', 'created_at'],
};

export function addPolicies(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'policies');

  add('create', { view, call: ({ client, path, input }) => client.policies.create(path.tenant_id, input) });
  add('list', { view, call: ({ client, path, input }) => client.policies.list(path.tenant_id, input) });
  add('delete', {
    confirm: { question: ({ path }, tenant) => `Delete the policy ${path.policy_id} of tenant ${tenant}?` },
    view,
    call: ({ client, path }) => client.policies.delete(path.tenant_id, path.policy_id),
  });
  add('revoke', {
    confirm: {
      question: ({ input }, tenant) => `Revoke ${input.scope} from ${input.client_id} of tenant ${tenant}?`,
    },
    view,
    call: ({ client, path, input }) => client.policies.revoke(path.tenant_id, input),
  });
}
