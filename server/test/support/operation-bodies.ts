import { newObjectCredential, newObjectResource } from './new-object.js';
import { newPrincipal } from './new-principal.js';
import type { Ids } from './operation-ids.js';
import { unique } from './unique.js';

/** A valid body for every operation that takes one. */
export const bodies: Record<string, (ids: Ids) => object> = {
  'tenants.create': () => ({ tenant_id: unique('tenant'), name: 'Acme Fleet' }),
  'tenants.update': () => ({ name: 'Acme Fleet Europe' }),
  'credentials.create': () => ({ client_id: unique('client'), name: 'Acme backend' }),
  'credentials.update': () => ({ name: 'Acme frontend' }),
  'roles.put': () => ({ scopes: ['open:catalog:read'] }),
  'policies.create': ({ client_id }) => ({ client_id, scope: 'open:device-request:create' }),
  'busPrincipals.create': () => newPrincipal(),
  'busPrincipals.update': () => ({ status: 'DISABLED' }),
  'roleBindings.create': ({ client_id }) => ({ client_id, role: 'integration_operator' }),
  'vendors.put': () => ({ enabled: true }),
  'commandTypes.put': () => ({ description: 'Restarts the device.', payload_schema: { type: 'object' } }),
  'deviceRequests.reply': () => ({ outcome: 'SUCCESS', payload: { version: '2.4.1' } }),
  'commands.cancel': () => ({}),
  'parkedMessages.retry': () => ({}),
  'commands.create': () => ({
    vendor: 'vendor_a',
    device_id: 'device-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: unique('key'),
  }),
  'callbackEndpoints.create': () => ({ name: 'Order system', url: 'https://hooks.acme.example/top' }),
  'callbackEndpoints.update': () => ({ name: 'Shop system' }),
  'callbackSubscriptions.update': () => ({ status: 'DISABLED' }),
  'callbackSubscriptions.create': () => ({ event_type: 'command.accepted' }),
  'objectCredentials.create': () => newObjectCredential(),
  'objectCredentials.update': () => ({ name: 'Acme store' }),
  'objectResources.create': ({ credential_id }) => newObjectResource(credential_id),
  'objectResources.update': () => ({ name: 'Acme images' }),
  'objects.presign': ({ resource_id }) => ({ operation: 'DOWNLOAD', resource_id, object_key: 'pump-7.bin' }),
};
