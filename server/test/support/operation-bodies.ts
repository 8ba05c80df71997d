import type { Operation } from '@tenant-open-platform/contract';
import type { z } from 'zod';
import { newObjectResource } from './new-object.js';
import { newPrincipal } from './new-principal.js';
import type { Ids } from './operation-ids.js';
import { unique } from './unique.js';

/** Bodies for operations whose example in the contract is not unique, names an id or disables what other tests use. */
const bodies: Record<string, (ids: Ids) => object> = {
  'tenants.create': () => ({ tenant_id: unique('tenant'), name: 'Acme Fleet' }),
  'credentials.create': () => ({ client_id: unique('client'), name: 'Acme backend' }),
  'credentials.update': () => ({ name: 'Acme frontend' }),
  'policies.create': ({ client_id }) => ({ client_id, scope: 'open:device-request:create' }),
  'busPrincipals.create': () => newPrincipal(),
  'roleBindings.create': ({ client_id }) => ({ client_id, role: 'integration_reader' }),
  'commands.create': () => ({
    vendor: 'vendor_a',
    device_id: 'device-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: unique('key'),
  }),
  'commands.createMany': () => ({
    commands: ['device-1', 'device-2'].map((device_id) => ({
      vendor: 'vendor_a',
      device_id,
      command_type: 'reboot',
      payload: {},
      idempotency_key: unique('key'),
    })),
  }),
  'callbackEndpoints.update': () => ({ name: 'Shop system' }),
  'callbackSubscriptions.create': () => ({ event_type: 'command.accepted' }),
  'objectCredentials.update': () => ({ name: 'Acme store' }),
  'objectResources.create': ({ credential_id }) => newObjectResource(credential_id),
  'objects.presign': ({ resource_id }) => ({ operation: 'DOWNLOAD', resource_id, object_key: 'pump-7.bin' }),
};

/** A body that the operation accepts; undefined if it takes none. */
export function bodyFor({ name, route }: Operation, ids: Ids): object | undefined {
  if (!('body' in route) || route.body === undefined) return undefined;
  const body = bodies[name]?.(ids) ?? (route.body as z.ZodType).meta()?.example;
  if (body) return body as object;
  throw new Error(
    `${name} has no body to test it with. Give its body an example in contract/src, or an entry in server/test/support/operation-bodies.ts.`,
  );
}

/** The examples of a body in the description, by their names, with ids that exist and names that are new. */
export function exampleBodies({ name, route }: Operation, ids: Ids): [string, object][] {
  if (!('body' in route) || route.body === undefined) return [];
  const { example, moreExamples } = (route.body as z.ZodType).meta() as {
    example: object;
    moreExamples?: Record<string, object>;
  };
  return Object.entries({ default: example, ...moreExamples }).map(([title, shown]) => {
    const isNew = name === 'credentials.create' && !('rotate_secret' in shown);
    const { client_id, credential_id, resource_id } = ids;
    const keys = newPrincipal();
    const values: Record<string, unknown> = {
      tenant_id: unique('tenant'),
      client_id: isNew ? unique('client') : client_id,
      credential_id,
      resource_id,
      idempotency_key: unique('key'),
      bus_account_public_key: keys.bus_account_public_key,
      bus_user_public_key: keys.bus_user_public_key,
    };
    const fields = Object.entries(shown).map(([field, value]) => [field, values[field] ?? value]);
    return [title, Object.fromEntries(fields)];
  });
}

/** Entries of operations that do not exist. */
export const staleBodies = (names: readonly string[]) => Object.keys(bodies).filter((name) => !names.includes(name));
