import type { AuditEvent, TenantOpenPlatform } from '@tenant-open-platform/sdk';

type Credential = { status: string; expires_at: string | null };
type Binding = { client_id: string; role: string };
type Policy = { client_id: string; scope: string };

/** Who has which right in a tenant at one time. Bindings and policies have the keys of their audit events: the target. */
export type Access = {
  tenantStatus: string;
  credentials: Map<string, Credential>;
  bindings: Map<string, Binding>;
  policies: Map<string, Policy>;
  roles: Map<string, readonly string[]>;
};

const below = (tenantId: string) => `platform/tenants/${tenantId}`;

/** What holds now. Changes that are made meanwhile do no harm: to take back a change twice is to take it back once. */
export async function readAccess(client: TenantOpenPlatform, tenantId: string): Promise<Access> {
  const access: Access = {
    tenantStatus: (await client.tenants.get(tenantId)).status,
    credentials: new Map(),
    bindings: new Map(),
    policies: new Map(),
    roles: new Map(),
  };
  const { credentials, bindings, policies, roles } = access;
  for await (const one of client.credentials.list(tenantId)) credentials.set(one.client_id, one);
  for await (const { role, scopes } of client.roles.list(tenantId)) roles.set(role, scopes);
  for await (const one of client.roleBindings.list(tenantId))
    bindings.set(`${below(tenantId)}/role-bindings/${one.client_id}/${one.role}`, one);
  for await (const one of client.policies.list(tenantId))
    policies.set(`${below(tenantId)}/policies/${one.policy_id}`, one);
  return access;
}

/** The changes of a tenant since then, the newest first. */
export async function changesSince(client: TenantOpenPlatform, tenantId: string, since: Date): Promise<AuditEvent[]> {
  const query = { occurred_after: since.toISOString(), outcome: 'DONE' } as const;
  return client.auditEvents.list(tenantId, query).toArray({ max: Number.POSITIVE_INFINITY });
}

/** Makes it what it was before this change. */
export function takeBack(access: Access, { operation, target, before }: AuditEvent): void {
  const { credentials, bindings, policies, roles } = access;
  const name = target.slice(target.lastIndexOf('/') + 1);
  switch (operation) {
    case 'roleBindings.create':
      bindings.delete(target);
      return;
    case 'roleBindings.delete':
      bindings.set(target, before as Binding);
      return;
    case 'policies.create':
      policies.delete(target);
      return;
    case 'policies.delete':
    case 'policies.revoke':
      policies.set(target, before as Policy);
      return;
    case 'roles.put':
    case 'roles.delete':
      if (before === null) roles.delete(name);
      else if (before.scopes) roles.set(name, before.scopes as string[]);
      return;
    case 'credentials.create':
      credentials.delete(name);
      return;
    case 'credentials.update':
      credentials.set(name, { ...(credentials.get(name) as Credential), ...before });
      return;
    case 'tenants.update':
      access.tenantStatus = (before?.status as string | undefined) ?? access.tenantStatus;
  }
}

/** The change that gave a custom role a scope, the latest of these changes; undefined if the audit log knows none. */
export async function wideningOf(
  client: TenantOpenPlatform,
  { tenantId, role, scope, before }: { tenantId: string; role: string; scope: string; before: Date },
): Promise<AuditEvent | undefined> {
  const target = `${below(tenantId)}/roles/${role}`;
  const query = { target, outcome: 'DONE', occurred_before: before.toISOString() } as const;
  const has = (values: AuditEvent['after']) => (values?.scopes as string[] | undefined)?.includes(scope) ?? false;
  for await (const change of client.auditEvents.list(tenantId, query)) {
    if (has(change.after) && !has(change.before)) return change;
  }
  return undefined;
}

/** A role binding or a policy that grants the scope. */
export type Grant = { target: string; client_id: string; role: string | null; scope: string | null };

export function grantsOf({ bindings, policies, roles }: Access, scope: string): Grant[] {
  return [
    ...[...bindings].flatMap(([target, { client_id, role }]) =>
      roles.get(role)?.includes(scope) ? [{ target, client_id, role, scope: null }] : [],
    ),
    ...[...policies].flatMap(([target, policy]) =>
      policy.scope === scope ? [{ target, client_id: policy.client_id, role: null, scope }] : [],
    ),
  ];
}

/** Whether the platform lets the credential in: what it may do is another question. */
export function isLive({ tenantStatus, credentials }: Access, clientId: string, at: Date): boolean {
  const { status, expires_at } = credentials.get(clientId) ?? {};
  return tenantStatus === 'ACTIVE' && status === 'ACTIVE' && !(expires_at && Date.parse(expires_at) <= at.getTime());
}

/** From when until when a credential could call an operation, and by which roles and policies. `until` is null: it can. */
export type Span = {
  client_id: string;
  from: string;
  until: string | null;
  grants: string[];
  /** The operation that began the span; null if it began before the times that were asked for. */
  change: string | null;
  /** Who called it; null if the platform itself did. */
  changed_by: string | null;
};

/** Who made a change; null for the platform itself. What the first start grants has no address. */
export const madeBy = (change: AuditEvent | undefined) => (change?.source_address ? change.client_id : null);

/** The spans between two times, the oldest first. `access` is what holds now; `changes` begin with the newest. */
export function spansOf(access: Access, changes: readonly AuditEvent[], scope: string, since: Date, now: Date): Span[] {
  const spans: Span[] = [];
  const open = new Map<string, Span>();
  let until: string | null = null;
  for (const change of [...changes, undefined]) {
    const from = change?.occurred_at ?? since.toISOString();
    const held = new Map<string, string[]>();
    for (const { client_id, role } of grantsOf(access, scope)) {
      if (isLive(access, client_id, new Date(from)))
        held.set(client_id, [...(held.get(client_id) ?? []), role ?? `policy ${scope}`]);
    }
    for (const [clientId, span] of open) if (String(held.get(clientId)) !== String(span.grants)) open.delete(clientId);
    for (const [client_id, grants] of held) {
      const expires = access.credentials.get(client_id)?.expires_at;
      const hasExpired = expires && Date.parse(expires) < (until ? Date.parse(until) : now.getTime());
      const later = hasExpired ? undefined : open.get(client_id);
      const began = { from, change: change?.operation ?? null, changed_by: madeBy(change) };
      const span = later ?? { client_id, ...began, until: hasExpired ? expires : until, grants };
      if (!later) spans.push(span);
      open.set(client_id, Object.assign(span, began));
    }
    if (change) takeBack(access, change);
    until = from;
  }
  return spans.sort((one, other) => (one.from + one.client_id < other.from + other.client_id ? -1 : 1));
}
