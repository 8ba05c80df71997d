import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Policy, RoleBinding } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { Problem } from '../ui/problem';
import { Scrolling } from '../ui/scrolling';
import { Time } from '../ui/time';

type Of = { tenant: string; clientId: string };
/** `target` is its name in the audit log. */
type Right = { role?: string; scope?: string; at: string; target: string };

const LIMIT = 100;
const below = (tenant: string) => `platform/tenants/${tenant}`;
const ofBinding = (tenant: string, { client_id, role, created_at }: RoleBinding): Right => ({
  role,
  at: created_at,
  target: `${below(tenant)}/role-bindings/${client_id}/${role}`,
});
const ofPolicy = (tenant: string, { policy_id, scope, created_at }: Policy): Right => ({
  scope,
  at: created_at,
  target: `${below(tenant)}/policies/${policy_id}`,
});

/** The role bindings and policies of a credential, each with who made it. */
export function Rights({ tenant, clientId }: Of) {
  const { client } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['rights', tenant, clientId],
    refetchOnMount: 'always',
    queryFn: async ({ signal }) => {
      const of = { client_id: clientId, limit: LIMIT };
      const [bindings, policies] = await Promise.all([
        client.roleBindings.list(tenant, of, { signal }),
        client.policies.list(tenant, of, { signal }),
      ]);
      const rights = [
        ...bindings.items.map((binding) => ofBinding(tenant, binding)),
        ...policies.items.map((policy) => ofPolicy(tenant, policy)),
      ];
      return { rights, hasMore: bindings.next_cursor !== null || policies.next_cursor !== null };
    },
  });
  if (error) return <Problem error={error} onAgain={() => void refetch()} />;
  if (!data) return <p role="status">{texts.loading}</p>;
  const { rights, hasMore } = data;
  return (
    <Scrolling label={texts.access.rights}>
      {rights.length === 0 ? (
        <p>{texts.access.noRight}</p>
      ) : (
        <table className="plain">
          <thead>
            <tr>
              {[texts.access.right, texts.access.since, texts.access.grantedBy, texts.audit.from].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rights.map((right) => (
              <tr key={right.target}>
                <th scope="row">
                  <Foreign text={right.role ? texts.access.role(right.role) : texts.access.scope(right.scope ?? '')} />
                </th>
                <td>
                  <Time at={right.at} full />
                </td>
                <Maker tenant={tenant} right={right} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasMore && <p>{texts.access.moreRights(LIMIT)}</p>}
      <p>
        <Link to="/audit" search={{ tenant, target: `${below(tenant)}/credentials/${clientId}` }}>
          {texts.access.changes}
        </Link>{' '}
        <Link to="/audit" search={{ tenant, operation: 'roles.put' }}>
          {texts.access.roleChanges}
        </Link>
      </p>
    </Scrolling>
  );
}

function Maker({ tenant, right: { target, at } }: { tenant: string; right: Right }) {
  const { client, me } = useSession();
  const mayRead = me.scopes.includes('platform:audit:read');
  const { data, error } = useQuery({
    queryKey: ['maker', tenant, target, at],
    enabled: mayRead,
    queryFn: async ({ signal }) => {
      const query = { target, outcome: 'DONE', limit: 1 } as const;
      return (await client.auditEvents.list(tenant, query, { signal })).items[0] ?? null;
    },
  });
  if (!mayRead) return <td colSpan={2}>{texts.shell.missing('platform:audit:read')}</td>;
  if (error) return <td colSpan={2}>{error.message}</td>;
  if (data === undefined) return <td colSpan={2}>{texts.loading}</td>;
  if (data === null) return <td colSpan={2}>{texts.access.unknownMaker}</td>;
  const { client_id, source_address } = data;
  return (
    <>
      <td>
        <Link to="/audit" search={{ tenant, target }}>
          {source_address ? <Foreign text={client_id} /> : texts.access.firstStart}
        </Link>
      </td>
      <td>{source_address ?? '–'}</td>
    </>
  );
}
