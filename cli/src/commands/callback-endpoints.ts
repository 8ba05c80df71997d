import type { CallbackEndpoint } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Field } from '../input/field.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';
import { printIssued, refuseToLoseSecret } from '../secrets/issued-secret.js';

/** The answer to a deletion has only the id. */
const view: View<Pick<CallbackEndpoint, 'endpoint_id'> & Partial<CallbackEndpoint>> = {
  id: (endpoint) => endpoint.endpoint_id,
  columns: ['endpoint_id', 'name', 'url', 'status'],
};

const secretFile = {
  secret_file: { kind: 'path', description: 'Write the secret to this new file (0600) instead of printing it.' },
} as const satisfies Record<string, Field>;

export function addCallbackEndpoints(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'callbackEndpoints');

  const print = (path: string | undefined, issue: () => Promise<CallbackEndpoint & { secret?: string }>) =>
    printIssued(invocation, issue, { view, path, fileText: (_, secret) => `${secret}\n`, hint: '' });

  add('create', {
    description:
      'Stores a webhook URL and shows, only once, the secret that will sign deliveries. The platform does not deliver webhooks yet.',
    flags: secretFile,
    check: ({ secret_file }) => refuseToLoseSecret(invocation, secret_file),
    run: ({ client, input: { secret_file, ...body } }) =>
      print(secret_file, async () => client.callbackEndpoints.create(body)),
  });
  add('list', { view, call: ({ client, input }) => client.callbackEndpoints.list(input) });
  add('get', { view, call: ({ client, path }) => client.callbackEndpoints.get(path.endpoint_id) });
  add('update', {
    fields: { rotate_secret: null, previous_secret_ttl_seconds: null },
    confirm: {
      when: ({ status }) => status === 'DISABLED',
      question: ({ path }, tenant) => `Disable the callback endpoint ${path.endpoint_id} of tenant ${tenant}?`,
    },
    view,
    call: ({ client, path, input }) => client.callbackEndpoints.update(path.endpoint_id, input),
  });
  add('update', {
    as: 'rotate',
    examples: ['topctl callback-endpoints rotate 019bd3a4-5c4e-7c77-8aa6-cf6071829304 --secret-file webhook.secret'],
    summary: 'Rotate the secret of a callback endpoint.',
    description:
      'Creates a new secret and shows it once. The previous secret becomes invalid immediately, or after --previous-secret-ttl-seconds.',
    only: ['previous_secret_ttl_seconds'],
    fields: {
      previous_secret_ttl_seconds: {
        description: 'How long deliveries are signed with both secrets, in seconds: 0 to 604800, 0 by default.',
      },
    },
    flags: secretFile,
    check: ({ secret_file }) => refuseToLoseSecret(invocation, secret_file),
    confirm: {
      question: ({ path, input }, tenant) => {
        const end = input.previous_secret_ttl_seconds ? `in ${input.previous_secret_ttl_seconds} seconds` : 'at once';
        return `Rotate the secret of the callback endpoint ${path.endpoint_id} of tenant ${tenant}? The previous secret ends ${end}.`;
      },
    },
    run: ({ client, path, input: { secret_file, ...body } }) =>
      print(secret_file, async () =>
        client.callbackEndpoints.update(path.endpoint_id, { ...body, rotate_secret: true }),
      ),
  });
  add('delete', {
    confirm: {
      question: ({ path }, tenant) =>
        `Delete the callback endpoint ${path.endpoint_id} of tenant ${tenant}, its subscriptions and its secrets?`,
    },
    view,
    call: ({ client, path }) => client.callbackEndpoints.delete(path.endpoint_id),
  });
}
