import type { ObjectCredential } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

/** The answer to a deletion has only the id. */
const view: View<Pick<ObjectCredential, 'credential_id'> & Partial<ObjectCredential>> = {
  id: (credential) => credential.credential_id,
  columns: ['credential_id', 'name', 'endpoint', 'status'],
};

const session_token = {
  kind: 'secret',
  description: 'A file with the session token of temporary access keys, or - for stdin.',
} as const;
const secretKeyFile = 'A file with the secret access key, or - for stdin. On a terminal topctl asks for it.';
const provider = { description: 'Display label of the provider, such as minio, or "none".' };

export function addObjectCredentials(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'objectCredentials');

  add('create', {
    fields: { session_token, provider, secret_access_key: { kind: 'secret', description: secretKeyFile } },
    view,
    call: ({ client, input }) => client.objectCredentials.create(input),
  });
  add('list', { view, call: ({ client, input }) => client.objectCredentials.list(input) });
  add('get', { view, call: ({ client, path }) => client.objectCredentials.get(path.credential_id) });
  add('update', {
    summary: 'Update an object credential, or rotate its access key.',
    description:
      'Updates an object credential. A change applies from the next presign request. --access-key-id with --secret-access-key-file rotates the access key. A field without its flag stays as it is.',
    fields: {
      session_token,
      provider,
      access_key_id: { description: 'New access key id. Requires --secret-access-key-file.' },
      secret_access_key: { kind: 'secret', description: secretKeyFile },
    },
    check: ({ access_key_id, secret_access_key }) =>
      access_key_id === undefined && secret_access_key !== undefined
        ? '--secret-access-key-file needs --access-key-id'
        : undefined,
    requires: ({ access_key_id }) => (access_key_id === undefined ? [] : ['secret_access_key']),
    confirm: {
      when: ({ status }) => status === 'DISABLED',
      question: ({ path }, tenant) => `Disable the object credential ${path.credential_id} of tenant ${tenant}?`,
    },
    view,
    call: ({ client, path, input }) => client.objectCredentials.update(path.credential_id, input),
  });
  add('delete', {
    confirm: {
      question: ({ path }, tenant) =>
        `Delete the object credential ${path.credential_id} of tenant ${tenant} and its secrets?`,
    },
    view,
    call: ({ client, path }) => client.objectCredentials.delete(path.credential_id),
  });
}
