import {
  allOperations,
  builtInRoles,
  type LargeBody,
  PLATFORM_TENANT_ID,
  type Scope,
} from '@tenant-open-platform/contract';
import type { OperationName } from './call.js';

/** The facts about an operation that the gates need before its handler runs. */
export type GatedOperation = {
  name: OperationName;
  scope: Scope | null;
  grantingRoles: readonly string[];
  /** The only tenant whose credentials may call it; null for any tenant. */
  onlyTenant: string | null;
  /** The limits of its body, if they are higher than those of other operations. */
  largeBody: LargeBody | undefined;
};

export type Match = {
  operation: GatedOperation | null;
  params: Record<string, string>;
  /** The methods of the path if it lacks the request's method; null if there is no such path. */
  allow: string | null;
};

type Route = { method: string; pattern: RegExp; operation: GatedOperation };

const routes: Route[] = allOperations.map(({ name, route }) => ({
  method: route.method,
  pattern: new RegExp(`^${route.path.replace(/:([a-z_]+)/g, '(?<$1>[^/]+)')}$`),
  operation: {
    name: name as OperationName,
    scope: route.metadata.scope,
    grantingRoles: rolesThatGrant(route.metadata.scope),
    onlyTenant: route.metadata.tenant === 'platform' ? PLATFORM_TENANT_ID : null,
    largeBody: route.metadata.largeBody,
  },
}));

export const operationNamed = (name: string): GatedOperation | undefined =>
  routes.find(({ operation }) => operation.name === name)?.operation;

/** The built-in roles. */
export function rolesThatGrant(scope: Scope | null): string[] {
  if (scope === null) return [];
  return Object.keys(builtInRoles).filter((role) => builtInRoles[role]?.includes(scope));
}

/** Finds the operation of a request by its exact path: case and every slash count. */
export function findOperation(method: string, target: string): Match {
  const path = pathOf(target);
  const methods: string[] = [];
  for (const route of routes) {
    const match = route.pattern.exec(path);
    if (!match) continue;
    if (route.method === method) return { operation: route.operation, params: { ...match.groups }, allow: null };
    methods.push(route.method);
  }
  return { operation: null, params: {}, allow: methods.length > 0 ? [...new Set(methods)].join(', ') : null };
}

export const pathOf = (target: string) => target.split('?', 1)[0] as string;

export const queryOf = (target: string) => target.slice(pathOf(target).length + 1);
