import { randomUUID } from 'node:crypto';
import type { Profile } from '@tenant-open-platform/testing';
import type { Database } from '../../src/foundation/database/database.js';
import type { SignedRequest } from '../../src/gateway/auth/admission.js';
import { hashNonce } from '../../src/gateway/auth/authenticate.js';

/** The input of admission for a request of the credential, signed now, with a new nonce. */
export async function newSignedRequest(database: Database, { tenant_id, client_id }: Profile): Promise<SignedRequest> {
  const [row] = await database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    return tx`select number::text from credentials where tenant_id = ${tenant_id} and client_id = ${client_id}`;
  });
  return {
    tenantId: tenant_id,
    clientId: client_id,
    credentialNumber: row?.number,
    secretVersion: 1,
    timestamp: String(Math.floor(Date.now() / 1000)),
    nonceHash: hashNonce(randomUUID()),
    scope: 'open:command:create',
    grantingRoles: ['integration_operator'],
    pathTenantId: null,
  };
}
