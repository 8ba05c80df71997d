type Missing = { clientId: string; scope: string; roles: readonly string[]; tenant: string | undefined };

/** The command that gives a credential a scope. */
export function grantCommand({ clientId, scope, roles, tenant }: Missing): string {
  // The roles are in the order of their power: a credential should get the weakest.
  const role = roles.at(-1);
  const grant = role ? `role-bindings create --role ${role}` : `policies create --scope ${scope}`;
  return `topctl ${grant} --client-id ${clientId}${tenant ? ` --tenant ${tenant}` : ''}`;
}
