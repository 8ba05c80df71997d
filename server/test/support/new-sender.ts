import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Profile } from '@tenant-open-platform/testing';
import { ApiError } from '../../src/foundation/api-error.js';
import type { Database } from '../../src/foundation/database/database.js';
import type { GivenCommand } from '../../src/foundation/database/row-level-security.js';
import { createAdmission, type Signed } from '../../src/gateway/auth/admission.js';
import { hashNonce } from '../../src/gateway/auth/authenticate.js';
import type { Incoming, Reply } from '../../src/gateway/http/exchange.js';
import { findOperation } from '../../src/gateway/operation/find-operation.js';
import { COMMANDS } from './commands.js';

/** The sender of a request of the credential, signed now, with a new nonce. */
export async function newSender(database: Database, { tenant_id, client_id }: Profile): Promise<Signed['sender']> {
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
    body: Buffer.alloc(0),
    countFailure: () => new ApiError('UNAUTHENTICATED'),
  };
}

/** `me.get` by this sender, before admission. */
export const beforeAdmission = (sender: Signed['sender']): Signed => ({
  req: { method: 'GET', url: '/api/v1/open/me' } as Incoming,
  reply: Object.assign(new EventEmitter(), { locals: { requestId: 'request-1', address: '' } }) as unknown as Reply,
  sender,
  match: findOperation('GET', '/api/v1/open/me'),
});

/** Admits requests `commands.create`, or those of another operation. */
export function admissionOf(database: Database) {
  const admit = createAdmission(database);
  return (sender: Signed['sender'], command?: GivenCommand, match = findOperation('POST', COMMANDS)) =>
    admit({ signed: { sender, match }, command });
}
