import { createAccount, createUser } from '@nats-io/nkeys';
import { type Profile, signedRequest } from '@tenant-open-platform/testing';
import { untilServed } from './until-served.js';

/** A body that busPrincipals.create accepts, with new keys. */
export const newPrincipal = (fields: object = {}) => ({
  bus_user: 'acme-adapter',
  bus_account_public_key: createAccount().getPublicKey(),
  bus_user_public_key: createUser().getPublicKey(),
  principal_type: 'SERVICE',
  ...fields,
});

/** Returns its principal_id. The bus has only events of tenants with such a principal. */
export async function registerEventReader(admin: Profile, tenantId = 'demo'): Promise<string> {
  const target = `/api/v1/platform/tenants/${tenantId}/bus/principals`;
  const body = newPrincipal({ principal_type: 'CLIENT' });
  const answer = await untilServed(() => signedRequest(admin, 'POST', target, { body }));
  if (answer.status !== 201) throw new Error(answer.raw);
  return answer.body.principal_id;
}
