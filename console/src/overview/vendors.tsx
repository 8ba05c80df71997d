import { useQuery } from '@tanstack/react-query';
import { texts } from '../app/texts';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { Part } from '../ui/part';
import { Time } from '../ui/time';

export const READ_CATALOG = 'open:catalog:read';

/** Of the tenant's vendors, who reads their commands. */
export function Vendors() {
  const { client, me } = useSession();
  const catalog = useQuery({
    queryKey: ['catalog'],
    enabled: me.scopes.includes(READ_CATALOG),
    queryFn: async ({ signal }) => client.catalog.get({ signal }),
  });
  return (
    <Part title={texts.overview.vendors} scope={READ_CATALOG} query={catalog}>
      {({ vendors }) => <LastReads vendors={vendors} />}
    </Part>
  );
}

export const LastReads = ({ vendors }: { vendors: { vendor: string; last_read_at: string | null }[] }) => (
  <ul>
    {vendors.map(({ vendor, last_read_at }) => (
      <li key={vendor}>
        <Foreign text={vendor} />: <LastRead at={last_read_at} />
      </li>
    ))}
  </ul>
);

function LastRead({ at }: { at: string | null }) {
  if (at === null) return <strong className="bad">{texts.overview.noReader}</strong>;
  return (
    <>
      {texts.overview.readAt} <Time at={at} />
    </>
  );
}
