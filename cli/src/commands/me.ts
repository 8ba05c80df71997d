import type { Me } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addOperation, addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

const view: View<Me> = {
  id: (me) => me.client_id,
  columns: ['client_id', 'tenant_id', 'roles'],
  details({ limits: { per_tenant, ...limits }, ...me }) {
    const perTenant = Object.entries(per_tenant).map(([kind, limit]) => [`${kind}_per_tenant`, limit]);
    return { ...me, ...limits, ...Object.fromEntries(perTenant) };
  },
};

/** `topctl whoami` is `topctl me get` under the name that people try first. */
export function addWhoami(program: Command, invocation: Invocation): void {
  addOperation(program, invocation, 'me.get', {
    as: 'whoami',
    summary: 'Show your credential, its roles, scopes and limits.',
    examples: ['topctl whoami', 'topctl whoami --fields client_id,roles,scopes'],
    view,
    call: ({ client }) => client.me.get(),
  });
}

export function addMe(program: Command, invocation: Invocation): void {
  addResource(program, invocation, 'me')('get', { view, call: ({ client }) => client.me.get() });
}
