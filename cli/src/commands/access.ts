import type { AccessExplanation, Holder, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { grantCommands } from '../failure/grant-command.js';
import { addResource } from '../input/add-operation.js';
import { didYouMean } from '../input/did-you-mean.js';
import { instantAt, instantOf, sinceField } from '../input/since.js';
import type { Invocation } from '../invocation.js';
import { operations } from '../operations.gen.js';
import type { View } from '../output/render.js';
import {
  changesSince,
  grantsOf,
  isLive,
  madeBy,
  readAccess,
  type Span,
  spansOf,
  takeBack,
  wideningOf,
} from './past-access.js';

const explanation: View<AccessExplanation> = {
  id: (answer) => answer.client_id,
  columns: ['client_id', 'operation', 'granted', 'reason'],
};

const holder: View<Holder> = {
  id: (holder) => holder.client_id,
  columns: ['client_id', 'status', 'grants'],
  row: (holder) => ({ ...holder, grants: holder.grants.map(({ role, scope }) => role ?? `policy ${scope}`) }),
};

const span: View<Span> = {
  id: ({ client_id }) => client_id,
  columns: ['client_id', 'from', 'until', 'grants', 'change', 'changed_by'],
};

const past: View<PastAccess> = {
  id: ({ client_id }) => client_id,
  columns: ['client_id', 'operation', 'at', 'could_call'],
  details: ({ grants, ...shown }) => ({
    ...shown,
    grants: grants.map(({ role, scope, granted_by: by, granted_at: at, widened_by }) => {
      const name = role ?? `policy ${scope}`;
      const widened = widened_by ? `, which ${widened_by} gave this scope` : '';
      return `${name}${at ? ` by ${by ?? 'the platform itself'}` : ''}${widened}`;
    }),
  }),
};

const isOperation = (name: string): name is keyof typeof operations => name in operations;

const unknownOperation = ({ operation = '' }: { operation?: string | undefined }) =>
  isOperation(operation)
    ? undefined
    : `--operation: there is no operation ${operation}.${didYouMean(operation, Object.keys(operations))}`;

const fromTheLog =
  'The answer comes from the present access and the audit log, which keeps AUDIT_EVENT_RETENTION_DAYS, 400 by default: of an earlier time it knows nothing. A built-in role counts with its scopes of today. This also needs the scopes platform:tenant:read, platform:credential:read and platform:audit:read.';

export function addAccess(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'access');

  add('explain', {
    description: `Shows whether a credential may call an operation, and which role bindings and policies grant the scope of the operation. granting_roles lists the roles of the tenant that grant it.

With --at: whether it could call the operation at that time, who granted it, and who gave a custom role the scope later. ${fromTheLog}`,
    flags: {
      at: {
        kind: 'text',
        description: 'An earlier time: RFC 3339, such as 2026-01-31T09:30:00Z, or how long ago, such as 2d.',
      },
    },
    examples: ['topctl access explain demo --tenant demo --operation commands.create --at 2026-01-31T09:30:00Z'],
    check: unknownOperation,
    run: async ({ client, path, input: { at, ...input } }) => {
      if (at !== undefined) {
        const asked = { ...path, operation: input.operation, at: await instantAt(invocation, client, at) };
        return invocation.printItem(await explainPast(client, asked), past);
      }
      const answer = await client.access.explain(path.tenant_id, path.client_id, input);
      await invocation.printItem(answer, explanation);
      const { client_id: clientId, operation, scope, granting_roles: roles } = answer;
      if (answer.reason === 'TENANT_PLATFORM_ONLY') {
        invocation.note(`Only credentials of tenant platform may call ${operation}.`);
      }
      if (answer.reason === 'SCOPE_MISSING' && scope !== null) {
        const [only, more] = grantCommands({ clientId, scope, roles, tenant: path.tenant_id });
        invocation.note(`${clientId} gets it with: ${only}`);
        if (more) invocation.note(`or a role, which grants more: ${more}`);
      }
    },
  });
  add('list', { view: holder, call: ({ client, path, input }) => client.access.list(path.tenant_id, input) });
  add('list', {
    as: 'history',
    summary: 'Show who could call an operation, from when until when.',
    description: `Shows every credential that could call an operation at some time since then: from when until when, by which roles and policies, and who made the change that began it. It also shows those that no longer can: until is null for those that can. ${fromTheLog}`,
    isEndless: true,
    only: [],
    flags: {
      operation: { kind: 'text', description: 'Operation id, for example commands.create.', isRequired: true },
      since: { ...sinceField, isRequired: true },
    },
    examples: ['topctl access history --tenant acme --operation commands.create --since 7d -o table'],
    check: unknownOperation,
    run: async ({ client, path: { tenant_id }, input: { operation = '', since = '' } }) => {
      const scope = isOperation(operation) ? operations[operation].scope : null;
      if (scope === null) throw invocation.usageError(`every credential may call ${operation}`);
      const start = await instantOf(invocation, client, since);
      const access = await readAccess(client, tenant_id);
      const changes = await changesSince(client, tenant_id, start);
      const { server_time } = await client.me.get();
      const spans = spansOf(access, changes, scope, start, new Date(server_time));
      await invocation.printItems(spans, span, { limit: spans.length, all: true });
    },
  });
}

type PastAccess = {
  client_id: string;
  operation: string;
  at: string;
  could_call: boolean;
  scope: string | null;
  /** Of the credential; null if it did not exist. */
  status: string | null;
  expires_at: string | null;
  tenant_status: string;
  grants: {
    role: string | null;
    scope: string | null;
    /** Null for the platform itself, or if the audit log no longer knows. */
    granted_by: string | null;
    granted_at: string | null;
    /** Who gave the role this scope, if that was after the grant. */
    widened_by: string | null;
    widened_at: string | null;
  }[];
};

type Asked = { tenant_id: string; client_id: string; operation: string; at: Date };

async function explainPast(client: TenantOpenPlatform, { tenant_id, client_id, operation, at }: Asked) {
  const { scope, reason } = await client.access.explain(tenant_id, client_id, { operation });
  const access = await readAccess(client, tenant_id);
  const after = new Date(at.getTime() + 1);
  for (const change of await changesSince(client, tenant_id, after)) takeBack(access, change);
  const held = scope === null ? [] : grantsOf(access, scope).filter((grant) => grant.client_id === client_id);
  const grants: PastAccess['grants'] = [];
  for (const { target, role, scope: own } of held) {
    const query = { target, outcome: 'DONE', occurred_before: after.toISOString(), limit: 1 } as const;
    const granted = (await client.auditEvents.list(tenant_id, query)).items[0];
    const granted_at = granted?.occurred_at ?? null;
    const change =
      role && scope ? await wideningOf(client, { tenantId: tenant_id, role, scope, before: after }) : undefined;
    const widening = change && change.occurred_at > (granted_at ?? '') ? change : undefined;
    grants.push({
      role,
      scope: own,
      granted_by: madeBy(granted),
      granted_at,
      widened_by: madeBy(widening),
      widened_at: widening?.occurred_at ?? null,
    });
  }
  const { status, expires_at } = access.credentials.get(client_id) ?? {};
  const isGranted = held.length > 0 || scope === null;
  return {
    client_id,
    operation,
    at: at.toISOString(),
    could_call: isGranted && reason !== 'TENANT_PLATFORM_ONLY' && isLive(access, client_id, at),
    scope,
    status: status ?? null,
    expires_at: expires_at ?? null,
    tenant_status: access.tenantStatus,
    grants,
  } satisfies PastAccess;
}
