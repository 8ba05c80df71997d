import type { Credential } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Field } from '../input/field.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';
import { printIssued, refuseToLoseSecret } from '../secrets/issued-secret.js';

const view: View<Credential> = {
  id: (credential) => credential.client_id,
  columns: ['client_id', 'name', 'status', 'last_used_at', 'expires_at'],
};

const secretFile = {
  secret_file: {
    kind: 'path',
    description: 'Write the profile of the credential to this new file (0600) instead of printing the secret.',
  },
} as const satisfies Record<string, Field>;

const expires_at = { description: 'When the credential expires: RFC 3339, or "never".' };
const requests_per_minute = {
  description:
    'Quota of requests of the credential per minute and server instance; or "default", as the platform is configured.',
  nullWord: 'default',
};
const rotation = { rotate_secret: null, previous_secret_ttl_seconds: null };

export function addCredentials(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'credentials');

  /** The file is a complete profile. */
  const print = (baseUrl: string, path: string | undefined, issue: () => Promise<Credential & { secret?: string }>) =>
    printIssued(invocation, issue, {
      view,
      path,
      fileText: ({ tenant_id, client_id }, secret) =>
        `${JSON.stringify({ base_url: baseUrl, tenant_id, client_id, secret }, null, 2)}\n`,
      hint: ` Use it with: --profile-file ${path}`,
    });

  add('create', {
    summary: 'Create a credential.',
    description: 'Creates a credential and shows its secret once. Then grant it a role: topctl role-bindings create',
    fields: {
      ...rotation,
      expires_at,
      requests_per_minute,
      client_id: { description: 'The id of the new credential, unique on the platform.' },
    },
    flags: secretFile,
    check: ({ secret_file }) => refuseToLoseSecret(invocation, secret_file),
    confirm: {
      when: ({ status }) => status === 'DELETED',
      question: ({ input }, tenant) => `Make the client_id ${input.client_id} of tenant ${tenant} unusable forever?`,
    },
    run: ({ client, session, path, input: { secret_file, ...body } }) =>
      print(session.profile.base_url, secret_file, async () => client.credentials.create(path.tenant_id, body)),
  });
  add('list', {
    description: 'Lists the credentials of the tenant, newest first.',
    view,
    call: ({ client, path, input }) => client.credentials.list(path.tenant_id, input),
  });
  add('get', { view, call: ({ client, path }) => client.credentials.get(path.tenant_id, path.client_id) });
  add('update', {
    fields: {
      rotate_secret: null,
      previous_secret_ttl_seconds: { description: 'Only 0 is allowed: it revokes the previous secret immediately.' },
      expires_at,
      requests_per_minute,
    },
    confirm: {
      when: ({ status }) => status === 'DISABLED' || status === 'DELETED',
      question: ({ path, input }, tenant) =>
        `${input.status === 'DELETED' ? 'Delete forever' : 'Disable'} the credential ${path.client_id} of tenant ${tenant}?`,
    },
    view,
    call: ({ client, path, input }) => client.credentials.update(path.tenant_id, path.client_id, input),
  });
  add('update', {
    as: 'rotate',
    summary: 'Rotate the secret of a credential.',
    description:
      'Creates a new secret and shows it once. The previous secret stops working at once, or after --previous-secret-ttl-seconds.',
    only: ['previous_secret_ttl_seconds'],
    fields: {
      previous_secret_ttl_seconds: {
        description: 'How long the previous secret stays valid, in seconds: 0 to 604800, 0 by default.',
      },
    },
    examples: ['topctl credentials rotate acme-backend --previous-secret-ttl-seconds 3600 --secret-file new.json'],
    flags: secretFile,
    check: ({ secret_file }) => refuseToLoseSecret(invocation, secret_file),
    confirm: {
      question: ({ clientId, path, input }, tenant) => {
        const own = path.client_id === clientId ? ' This command signs with it.' : '';
        const end = input.previous_secret_ttl_seconds ? `in ${input.previous_secret_ttl_seconds} seconds` : 'at once';
        return `Rotate the secret of ${path.client_id} of tenant ${tenant}? The previous secret stops working ${end}.${own}`;
      },
    },
    run: ({ client, session, path, input: { secret_file, ...body } }) =>
      print(session.profile.base_url, secret_file, async () =>
        client.credentials.update(path.tenant_id, path.client_id, { ...body, rotate_secret: true }),
      ),
  });
}
