type To = { clientId: string; tenant: string | undefined };
type Missing = To & { scope: string; roles: readonly string[] };

/** The command that gives a credential a role. */
export function bindCommand({ clientId, tenant, role }: To & { role: string }): string {
  return `topctl role-bindings create --role ${role}${of({ clientId, tenant })}`;
}

/** The commands that give a credential a scope, the smallest right first: a policy grants nothing else. */
export function grantCommands({ scope, roles, ...to }: Missing): [only: string, more?: string] {
  const only = `topctl policies create --scope ${scope}${of(to)}`;
  // The roles are in the order of their power: a credential should get the weakest.
  const role = roles.at(-1);
  return role === undefined ? [only] : [only, bindCommand({ ...to, role })];
}

const of = ({ clientId, tenant }: To) => ` --client-id ${clientId}${tenant ? ` --tenant ${tenant}` : ''}`;
