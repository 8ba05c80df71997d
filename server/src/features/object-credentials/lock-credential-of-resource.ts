import type { Transaction } from '../../platform/database/database.js';
import { notFoundIn } from '../../platform/operation/api-error.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { objectCredentials } from './object-credentials.table.js';

/** Reads and locks the object credential that a body refers to, so that it stays as it was checked. */
export const lockCredentialOfResource = (tx: Transaction, tenantId: string, credential_id: string) => {
  const refuse = () => notFoundIn('body/credential_id');
  const own = ownRow(objectCredentials, { tenantId }, { credential_id });
  return readRow(tx, { refuse }, objectCredentials, own, 'share');
};
