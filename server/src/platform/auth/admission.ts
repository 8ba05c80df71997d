import { hash } from 'node:crypto';
import { objectAndAction, type Scope } from '@tenant-open-platform/contract';
import type { Database } from '../database/database.js';
import { asIngest } from '../database/roles.js';
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

/** Requests per minute; null: as configured. */
export type Quotas = { credential: number | null; tenant: number | null };

/** The state of the request in the database at admission. */
export type Verdict = {
  /** Credential and tenant are active and not expired, and the secret version that verified is still valid. */
  isLive: boolean;
  isInClockWindow: boolean;
  isFresh: boolean;
  isGranted: boolean;
  pathTenantExists: boolean;
  allowedClockSkewSeconds: number;
  quotas: Quotas;
  /** The database's clock: one clock for all nodes. */
  now: Date;
};

/** A row of admit_requests_v1 (server/drizzle). */
export type VerdictRow = {
  is_live: boolean;
  is_in_clock_window: boolean;
  is_fresh: boolean;
  is_granted: boolean;
  path_tenant_exists: boolean;
  allowed_clock_skew_seconds: number | null;
  requests_per_minute: number | null;
  requests_per_minute_of_tenant: number | null;
  now_ms: number;
};

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

export const toVerdict = (row: VerdictRow): Verdict => ({
  isLive: row.is_live,
  isInClockWindow: row.is_in_clock_window,
  isFresh: row.is_fresh,
  isGranted: row.is_granted,
  pathTenantExists: row.path_tenant_exists,
  allowedClockSkewSeconds: row.allowed_clock_skew_seconds ?? 0,
  quotas: { credential: row.requests_per_minute, tenant: row.requests_per_minute_of_tenant },
  now: new Date(row.now_ms),
});

/** The primary key of the nonce that a request consumes. */
export const nonceKey = ({ credentialNumber, nonceHash }: SignedRequest) =>
  `${credentialNumber.padStart(19, '0')}${nonceHash}`;

/**
 * Admission: one statement decides on the current state of the database for every request. A revoked, rotated, disabled
 * or unbound credential is therefore refused from the next request on, on every node.
 */
export const createAdmission = (database: Database) =>
  batched<SignedRequest, Verdict>(nonceKey, async (requests) => {
    const rows = await asIngest<VerdictRow>(database, requests.map(toRequestRow));
    return rows.map(toVerdict);
  });

export const hashNonce = (nonce: string) => hash('sha256', nonce).slice(0, 32);
