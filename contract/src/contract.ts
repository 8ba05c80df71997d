import { type AppRoute, initContract } from '@ts-rest/core';
import { access } from './access.js';
import { auditEvents } from './audit-events.js';
import { busPrincipals } from './bus-principals.js';
import { callbackEndpoints } from './callback-endpoints.js';
import { callbackSubscriptions } from './callback-subscriptions.js';
import { catalog } from './catalog.js';
import { commandTypes } from './command-types.js';
import { commands } from './commands.js';
import { credentials } from './credentials.js';
import { deviceRequests } from './device-requests.js';
import { ErrorBody } from './errors.js';
import { events } from './events.js';
import { me } from './me.js';
import { objectCredentials } from './object-credentials.js';
import { objectResources } from './object-resources.js';
import { objects } from './objects.js';
import type { OperationMetadata } from './operation.js';
import { parkedMessages } from './parked-messages.js';
import { platform } from './platform.js';
import { policies } from './policies.js';
import { roleBindings } from './role-bindings.js';
import { roles } from './roles.js';
import { type Scope, scopes } from './scopes.js';
import { tenants } from './tenants.js';
import { vendors } from './vendors.js';

const routes = {
  commands,
  deviceRequests,
  events,
  catalog,
  objects,
  objectCredentials,
  objectResources,
  callbackEndpoints,
  callbackSubscriptions,
  me,
  tenants,
  credentials,
  roles,
  roleBindings,
  policies,
  access,
  busPrincipals,
  vendors,
  commandTypes,
  auditEvents,
  parkedMessages,
  platform,
};
const options = {
  strictStatusCodes: true,
  commonResponses: {
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
const tsRest: ReturnType<typeof initContract> = initContract();
/** Named, because TypeScript does not write an inferred type of this length into a declaration. */
type Contract = ReturnType<typeof tsRest.router<typeof routes, string, typeof options>>;

/** Every operation of the platform: `contract.<resource>.<verb>`. */
export const contract: Contract = tsRest.router(routes, options);

/** An operation without its specific types, for enumeration. */
export type Operation = {
  /** `commands.create`: contract key, operationId, metric label, `topctl commands create`. */
  name: string;
  route: AppRoute & { metadata: OperationMetadata };
};

/** All operations in the order of the contract. */
export const allOperations: readonly Operation[] = Object.entries(contract).flatMap(([resource, routes]) =>
  Object.entries(routes).map(([verb, route]) => ({
    name: `${resource}.${verb}`,
    route: route as unknown as Operation['route'],
  })),
);

const named = new Map(allOperations.map((operation) => [operation.name, operation]));

/**
 * The scope that a caller lacks to read what an operation changes; null if it may. `isOwn`: the caller is of the changed
 * tenant. What is no operation of the contract, such as a step of `move-tenant`, changes the tenant.
 */
export function lackedToRead(operation: string, held: readonly Scope[], isOwn: boolean): Scope | null {
  const [resource] = operation.split('.', 1);
  const reading = named.get(`${resource}.get`) ?? named.get(`${resource}.list`) ?? named.get('tenants.get');
  const { scope, tenant } = (reading as Operation).route.metadata;
  return scope === null || (held.includes(scope) && (isOwn || tenant !== 'own')) ? null : scope;
}

/** Scopes that only credentials of tenant `platform` can hold: every operation that needs one acts on the platform. */
export const platformTenantScopes: readonly Scope[] = scopes.filter((scope) => {
  const needing = allOperations.filter(({ route }) => route.metadata.scope === scope);
  return needing.length > 0 && needing.every(({ route }) => route.metadata.tenant === 'platform');
});
