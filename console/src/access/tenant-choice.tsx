import { useQuery } from '@tanstack/react-query';
import { MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { FormEvent } from 'react';
import { texts } from '../app/texts';
import { useSession } from '../session/session';
import { useFormOfAddress } from '../ui/use-form-of-address';

type Props = { tenant: string; onChoose: (tenant: string) => void };

/** Only a platform administrator sees other tenants, and only on these pages. */
export function TenantChoice({ tenant, onChoose }: Props) {
  const { client, me } = useSession();
  const form = useFormOfAddress({ tenant });
  const isOfPlatform = me.tenant_id === 'platform';
  const { data } = useQuery({
    queryKey: ['tenants'],
    enabled: isOfPlatform,
    queryFn: async ({ signal }) => client.tenants.list({ limit: MAX_PAGE }, { signal }),
  });
  if (!isOfPlatform) return null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onChoose(String(new FormData(event.currentTarget).get('tenant')).trim());
  };
  return (
    <form ref={form} className="filters" onSubmit={submit}>
      <label>
        {texts.access.tenant}
        <input name="tenant" defaultValue={tenant} list="tenants" required autoComplete="off" />
      </label>
      <datalist id="tenants">
        {data?.items.map(({ tenant_id, name }) => (
          <option key={tenant_id} value={tenant_id}>
            {name}
          </option>
        ))}
      </datalist>
      <button type="submit">{texts.access.choose}</button>
    </form>
  );
}
