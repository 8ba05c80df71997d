import { allOperations, builtInRoles, type Operation, type Scope } from '@tenant-open-platform/contract';

export type Match = {
  operation: Operation | null;
  params: Record<string, string>;
  /** The methods of the path if it lacks the request's method; null if there is no such path. */
  allow: string | null;
};

const patterns = allOperations.map((operation) => ({
  pattern: new RegExp(`^${operation.route.path.replace(/:([a-z_]+)/g, '(?<$1>[^/]+)')}$`),
  operation,
}));

/** The built-in roles. */
export const rolesThatGrant = (scope: Scope): string[] =>
  Object.keys(builtInRoles).filter((role) => builtInRoles[role]?.includes(scope));

/** Finds the operation of a request by its exact path: case and every slash count. */
export function findOperation(method: string, target: string): Match {
  const path = pathOf(target);
  const methods: string[] = [];
  for (const { pattern, operation } of patterns) {
    const match = pattern.exec(path);
    if (!match) continue;
    if (operation.route.method === method) return { operation, params: { ...match.groups }, allow: null };
    methods.push(operation.route.method);
  }
  return { operation: null, params: {}, allow: methods.length > 0 ? [...new Set(methods)].join(', ') : null };
}

export const pathOf = (target: string) => target.split('?', 1)[0] as string;

export const queryOf = (target: string) => target.slice(pathOf(target).length + 1);
