import { createAccount, createUser } from '@nats-io/nkeys';

/** A body that busPrincipals.create accepts, with new keys. */
export const newPrincipal = (fields: object = {}) => ({
  bus_user: 'acme-adapter',
  bus_account_public_key: createAccount().getPublicKey(),
  bus_user_public_key: createUser().getPublicKey(),
  principal_type: 'SERVICE',
  ...fields,
});
