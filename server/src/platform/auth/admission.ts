import { hash } from 'node:crypto';
import { MAX_CLOCK_SKEW_SECONDS, objectAndAction, type Scope } from '@tenant-open-platform/contract';
import { batched } from '../database/batch.js';
import type { Database } from '../database/database.js';
import { asIngest } from '../database/roles.js';

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
  /** The tenant in the path; null if the path has none. */
  pathTenantId: string | null;
};

/** The state of the request in the database at admission. */
export type Verdict = {
  /** Credential and tenant are active and not expired, and the secret version that verified is still valid. */
  isLive: boolean;
  isInClockWindow: boolean;
  isFresh: boolean;
  isGranted: boolean;
  pathTenantExists: boolean;
  allowedClockSkewSeconds: number;
  /** The database's clock: one clock for all nodes. */
  now: Date;
};

export type VerdictRow = {
  is_live: boolean;
  is_in_clock_window: boolean;
  is_fresh: boolean;
  is_granted: boolean;
  path_tenant_exists: boolean;
  allowed_clock_skew_seconds: number | null;
  now_ms: string;
};

/**
 * The part of a statement that checks every request of the JSON array $1: status, expiry, secret version, clock window,
 * nonce and permission. `columns` are further columns that the requests bring with them.
 *
 * In: for each request `position`, `tenant_id`, `client_id`, `number` of the credential, `secret_version`, `signed_at` in
 * Unix seconds, `nonce_hash` in hex, `object` and `action` of the scope, `granting_roles` joined by commas,
 * `path_tenant_id`, and `columns`.
 *
 * Out: `admitted`, a row for each request with what came in and `is_live`, `is_in_clock_window`, `is_fresh`,
 * `is_granted` and `allowed_clock_skew_seconds`.
 *
 * It consumes the nonce of every live request within its clock window, and no other. The nonce is kept for as long as
 * the widest window would take its timestamp: raising a credential's skew lets nothing live again.
 *
 * `offset 0` keeps Postgres from joining whole tables: each request looks its rows up by an index. The plan is made when
 * the tables may be empty, and kept while they grow.
 */
export const admitting = (columns = '') => `
  asked as (
    select *, to_timestamp(signed_at) as dated, decode(nonce_hash, 'hex') as nonce
    from json_to_recordset($1::text::json) as asked (
      position int, tenant_id text, client_id text, number bigint, secret_version int, signed_at bigint,
      nonce_hash text, object text, action text, granting_roles text,
      path_tenant_id text${columns}
    )
  ), checked as (
    select asked.*, credential.allowed_clock_skew_seconds, credential.replay_window_seconds,
      coalesce(
        credential.status = 'ACTIVE' and tenant.status = 'ACTIVE'
        and (credential.expires_at is null or credential.expires_at > now())
        and (credential.secret_version = asked.secret_version
          or credential.secret_version = asked.secret_version + 1
            and credential.previous_secret_expires_at > now()),
        false
      ) as is_live,
      coalesce(
        asked.dated between now() - make_interval(secs => credential.allowed_clock_skew_seconds)
          and now() + make_interval(secs => credential.allowed_clock_skew_seconds),
        false
      ) as is_in_clock_window
    from asked
    left join lateral (
      select status, expires_at, secret_version, previous_secret_expires_at, allowed_clock_skew_seconds,
        replay_window_seconds
      from credentials
      where credentials.tenant_id = asked.tenant_id and credentials.client_id = asked.client_id offset 0
    ) as credential on true
    left join lateral (
      select status from tenants where tenants.tenant_id = asked.tenant_id offset 0
    ) as tenant on true
  ), counted as (
    select *, row_number() over (
      partition by number, nonce, is_live and is_in_clock_window order by position
    ) as occurrence
    from checked
  ), consumed as (
    insert into nonces (credential_number, nonce_hash, expires_at)
    select number, nonce, greatest(
      dated + interval '${MAX_CLOCK_SKEW_SECONDS} seconds',
      now() + make_interval(secs => replay_window_seconds)
    ) + interval '60 seconds'
    from counted
    where is_live and is_in_clock_window and occurrence = 1
    order by number, nonce
    on conflict do nothing
    returning credential_number, nonce_hash
  ), admitted as (
    select counted.*, occurrence = 1 and consumed.nonce_hash is not null as is_fresh,
      exists (
        select from role_bindings
        where role_bindings.tenant_id = counted.tenant_id and role_bindings.client_id = counted.client_id
          and (
            role_bindings.role = any (string_to_array(counted.granting_roles, ','))
            or exists (
              select from policies
              where policies.tenant_id = role_bindings.tenant_id and policies.role = role_bindings.role
                and policies.object = counted.object and policies.action = counted.action
              offset 0
            )
          )
        offset 0
      ) or exists (
        select from policies
        where policies.tenant_id = counted.tenant_id and policies.client_id = counted.client_id
          and policies.object = counted.object and policies.action = counted.action
        offset 0
      ) as is_granted
    from counted
    left join consumed on consumed.credential_number = counted.number and consumed.nonce_hash = counted.nonce
  )`;

/** The columns of `admitted` that a statement must select for its verdicts. */
export const VERDICT = `
  admitted.is_live, admitted.is_in_clock_window, admitted.is_fresh, admitted.is_granted,
  exists (select from tenants where tenants.tenant_id = admitted.path_tenant_id offset 0) as path_tenant_exists,
  admitted.allowed_clock_skew_seconds, floor(extract(epoch from now()) * 1000)::text as now_ms`;

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
  now: new Date(Number(row.now_ms)),
});

/** The primary key of the nonce that a request consumes. */
export const nonceKey = ({ credentialNumber, nonceHash }: SignedRequest) =>
  `${credentialNumber.padStart(19, '0')}${nonceHash}`;

const ADMIT = `with ${admitting()}
  select ${VERDICT} from admitted order by position`;

/**
 * Admission: one statement decides on the current state of the database for every request. A revoked, rotated, disabled
 * or unbound credential is therefore refused from the next request on, on every node.
 */
export const createAdmission = (database: Database) =>
  batched<SignedRequest, Verdict>(nonceKey, async (requests) => {
    const rows = await asIngest<VerdictRow>(database, ADMIT, requests.map(toRequestRow));
    return rows.map(toVerdict);
  });

export const hashNonce = (nonce: string) => hash('sha256', nonce).slice(0, 32);
