import { hash } from 'node:crypto';
import { objectAndAction, type Scope } from '@tenant-open-platform/contract';
import type { Database } from '../database/database.js';
import { asAllTenantsStatement, asIngest } from '../database/roles.js';
import { nodeClock, type Purge } from '../retention/purge-by-age.js';
import { batched } from '../waiting/batched.js';

/** A request with a verified signature, before admission. */
export type SignedRequest = {
  tenantId: string;
  clientId: string;
  credentialNumber: string;
  secretVersion: number;
  timestamp: string;
  /** The first 16 bytes of SHA-256(nonce) in hex: see hashNonce. */
  nonceHash: string;
  /** The scope that the operation needs, and the built-in roles that grant it. */
  scope: Scope | null;
  grantingRoles: readonly string[];
  pathTenantId: string | null;
};

/** A row of admit_requests_v1 (server/drizzle): the state of the request in the database at admission. */
export type Verdict = Quotas & {
  /** Credential and tenant are active and not expired, and the secret version that verified is still valid. */
  is_live: boolean;
  is_in_clock_window: boolean;
  is_fresh: boolean;
  is_granted: boolean;
  path_tenant_exists: boolean;
  allowed_clock_skew_seconds: number | null;
  /** The database's clock in Unix milliseconds: one clock for all nodes. */
  now_ms: number;
};

/** Null: as configured. */
export type Quotas = { requests_per_minute: number | null; requests_per_minute_of_tenant: number | null };

export const toRequestRow = (signed: SignedRequest, position: number) => ({
  position,
  tenant_id: signed.tenantId,
  client_id: signed.clientId,
  number: signed.credentialNumber,
  secret_version: signed.secretVersion,
  signed_at: signed.timestamp,
  nonce_hash: signed.nonceHash,
  ...(signed.scope && objectAndAction(signed.scope)),
  granting_roles: signed.grantingRoles.join(),
  path_tenant_id: signed.pathTenantId,
});

/** The primary key of the nonce that a request consumes. */
export const nonceKey = ({ credentialNumber, nonceHash }: SignedRequest) =>
  `${credentialNumber.padStart(19, '0')}${nonceHash}`;

/**
 * Admission: one statement decides on the current state of the database for every request. A revoked, rotated, disabled
 * or unbound credential is therefore refused from the next request on, on every node.
 */
export const createAdmission = (database: Database) =>
  batched<SignedRequest, Verdict>(nonceKey, (requests) => asIngest<Verdict>(database, requests.map(toRequestRow)));

export const hashNonce = (nonce: string) => hash('sha256', nonce).slice(0, 32);

const BATCH = 5_000;

/**
 * Deletes expired nonces. A node skips rows that another node is deleting. The array replaces a join: with statistics
 * from when the table was nearly empty, a join compared each nonce with each expired one.
 */
export const purgeNonces = (database: Database): Purge => ({
  table: 'nonces',
  async round() {
    const { count: removed } = await asAllTenantsStatement(database)`
      delete from nonces where ctid = any (array(
        select ctid from nonces
        where expires_at < least(now(), ${nodeClock()}::timestamptz) order by expires_at limit ${BATCH} for update skip locked
      ))`;
    return { removed, hasMore: removed === BATCH };
  },
});
