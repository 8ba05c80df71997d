import type { BusPrincipal } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import { flagOf } from '../input/field.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';
import { holdsSeed } from '../secrets/nkey-seed.js';

const view: View<BusPrincipal> = {
  id: (principal) => principal.principal_id,
  columns: ['principal_id', 'bus_user', 'principal_type', 'status', 'expires_at', 'problem'],
};

const vendors = {
  description: 'The only vendors of a SERVICE principal, such as vendor_a,vendor_b; or "all".',
  nullWord: 'all',
};
const expires_at = { description: 'When the principal expires: RFC 3339, or "never".' };

export function addBusPrincipals(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'busPrincipals');

  add('create', {
    fields: { vendors, expires_at },
    check: refuseSeeds,
    confirm: {
      when: ({ status }) => status === 'DELETED',
      question: ({ input }, tenant) => `Make the user key of ${input.bus_user} of tenant ${tenant} unusable forever?`,
    },
    view,
    call: ({ client, path, input }) => client.busPrincipals.create(path.tenant_id, input),
  });
  add('list', { view, call: ({ client, path, input }) => client.busPrincipals.list(path.tenant_id, input) });
  add('get', { view, call: ({ client, path }) => client.busPrincipals.get(path.tenant_id, path.principal_id) });
  add('update', {
    fields: { vendors, expires_at },
    confirm: {
      when: ({ status }) => status === 'DISABLED' || status === 'DELETED',
      question: ({ path, input }, tenant) =>
        `${input.status === 'DELETED' ? 'Delete forever' : 'Disable'} the bus principal ${path.principal_id} of tenant ${tenant}?`,
    },
    view,
    call: ({ client, path, input }) => client.busPrincipals.update(path.tenant_id, path.principal_id, input),
  });
}

/** The platform refuses a seed too, but a seed that was sent is disclosed. */
function refuseSeeds(input: object): string | undefined {
  const found = Object.entries(input).find(
    ([name, text]) => typeof text === 'string' && holdsSeed(text, { isKey: name.endsWith('_key') }),
  );
  if (!found) return undefined;
  const flag = flagOf(found[0], { kind: 'text' });
  return `${flag} contains a private seed. Nothing was sent. Give the public key, which begins with A or U`;
}
