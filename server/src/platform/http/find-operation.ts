import { allOperations, builtInRoles, PLATFORM_TENANT_ID, type Scope } from '@tenant-open-platform/contract';

/** What the gates have to know of an operation before its handler runs. */
export type Operation = {
  name: string;
  scope: Scope | null;
  grantingRoles: readonly string[];
  /** The only tenant whose credentials may call it at all; null for any. */
  onlyTenant: string | null;
};

export type Match =
  | { found: 'operation'; operation: Operation; pathTenantId: string | null }
  | { found: 'path'; allow: string }
  | { found: 'nothing' };

type Route = { method: string; pattern: RegExp; operation: Operation };

const routes: Route[] = allOperations.map(({ name, route }) => ({
  method: route.method,
  pattern: new RegExp(`^${route.path.replace(/:([a-z_]+)/g, '(?<$1>[^/]+)')}$`),
  operation: {
    name,
    scope: route.metadata.scope,
    grantingRoles: rolesThatGrant(route.metadata.scope),
    onlyTenant:
      route.path.startsWith('/api/v1/platform/') && !route.path.includes(':tenant_id') ? PLATFORM_TENANT_ID : null,
  },
}));

function rolesThatGrant(scope: Scope | null): string[] {
  if (scope === null) return [];
  return Object.keys(builtInRoles).filter((role) => builtInRoles[role]?.includes(scope));
}

/** Finds the operation of a request by the exact path of its target: case counts, and so does every slash. */
export function findOperation(method: string, target: string): Match {
  const path = pathOf(target);
  const allowed: string[] = [];
  for (const route of routes) {
    const match = route.pattern.exec(path);
    if (!match) continue;
    if (route.method === method) {
      return { found: 'operation', operation: route.operation, pathTenantId: match.groups?.tenant_id ?? null };
    }
    allowed.push(route.method);
  }
  return allowed.length === 0 ? { found: 'nothing' } : { found: 'path', allow: [...new Set(allowed)].join(', ') };
}

export const pathOf = (target: string) => target.split('?', 1)[0] as string;
