import { contract } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../../foundation/database/database.js';
import { credentialOwner, generateCredentialSecret } from '../../foundation/secrets/credential-secret.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { sealedTable } from '../../foundation/secrets/rewrap-secrets.js';
import { credentials, takenNames } from '../../foundation/tables.js';
import { withAudit } from '../../gateway/audit/audit.js';
import type { Call, CallOf } from '../../gateway/operation/call.js';
import { getHandler, type Handler } from '../handlers.js';
import { newestFirst } from '../lists.js';
import { grantsOf, lockPlatformAdministrators, platformScopesOfCaller, refuseBeyond } from '../roles/granting.js';
import {
  columnsOf,
  insertRow,
  ownRow,
  presenter,
  previousSecret,
  refuseBeyondLimit,
  stillAhead,
  updateRow,
} from '../rows.js';

type Row = typeof credentials.$inferSelect;

const fieldsOf = presenter(credentials, contract.credentials.get.responses[200]);

function presentCredential(row: Row, call: Call) {
  const previousExpiresAt = stillAhead(row.previousSecretExpiresAt, call);
  const fields = fieldsOf(row, call);
  return {
    ...fields,
    previous_secret_expires_at: previousExpiresAt,
    previous_secret_last_used_at: previousExpiresAt && fields.previous_secret_last_used_at,
  };
}

export const create: Handler<'credentials.create'> = async ({ body }, call, { keyring, limits }) => {
  const { tenantId } = call;
  const { client_id, rotate_secret, previous_secret_ttl_seconds } = body;
  const held = rotate_secret ? await platformScopesOfCaller(call) : [];
  const change = { fields: body as object, created: client_id };
  return withAudit(call, change, async (tx) => {
    const existing = rotate_secret ? await lockCredential(tx, call, client_id) : null;
    if (existing) {
      refuseBeyond(held, (await grantsOf(tx, tenantId, client_id)).scopes);
      change.fields = {
        rotate_secret,
        ...(previous_secret_ttl_seconds !== undefined && { previous_secret_ttl_seconds }),
      };
      const { row, secret } = await rotateSecret(tx, keyring, existing, previous_secret_ttl_seconds);
      const after = presentCredential(row, call);
      const result = { status: 200 as 200 | 201, body: { ...after, secret } };
      return { before: presentCredential(existing, call), after, secrets: { secret: 'rotated' }, result };
    }
    await refuseBeyondLimit(tx, call, credentials, limits);
    const created = await insertCredential(tx, keyring, { ...columnsOf(credentials, body), tenantId });
    if (!created) throw call.refuse('CREDENTIAL_ALREADY_EXISTS');
    const after = presentCredential(created.row, call);
    const result = { status: 201 as const, body: { ...after, secret: created.secret } };
    return { before: null, after, secrets: { secret: 'set' }, result };
  });
};

export const list: Handler<'credentials.list'> = async ({ query }, call, { basePath }) => {
  const { body } = await newestFirst(call, query, {
    table: credentials,
    order: ['createdAt', 'clientId'],
    filteredBy: ['status'],
    present: presentCredential,
  });
  const { items, next_cursor: nextCursor } = body;
  const status = query.status ? `&status=${query.status.join()}` : '';
  const next = `${basePath}/api/v1/platform/tenants/${call.tenantId}/credentials?limit=${query.limit}${status}&cursor=${nextCursor}`;
  return {
    status: 200,
    body: items,
    ...(nextCursor && { headers: { Link: `<${next}>; rel="next"`, 'X-Next-Cursor': nextCursor } }),
  };
};

export const get = getHandler(credentials, presentCredential);

export const update: Handler<'credentials.update'> = async ({ params, body }, call, { keyring }) => {
  const { tenantId } = call;
  const held = await platformScopesOfCaller(call);
  return withAudit(call, { fields: body }, async (tx) => {
    const administrators = await lockPlatformAdministrators(tx, call);
    const locked = await lockCredential(tx, call, params.client_id);
    if (!locked) throw call.refuse('NOT_FOUND');
    refuseBeyond(held, (await grantsOf(tx, tenantId, params.client_id)).scopes);

    const fields = columnsOf(credentials, body);
    const updated = await updateRow(tx, call, credentials, params, {
      ...fields,
      ...(fields.expiresAt && { previousSecretExpiresAt: noLaterThan(fields.expiresAt) }),
      ...(body.previous_secret_ttl_seconds === 0 && { previousSecretSealed: null, previousSecretExpiresAt: null }),
    });
    const rotated = body.rotate_secret
      ? await rotateSecret(tx, keyring, updated, body.previous_secret_ttl_seconds)
      : null;
    await administrators?.requireOneLeft();

    const after = presentCredential(rotated?.row ?? updated, call);
    return {
      before: presentCredential(locked, call),
      after,
      ...(rotated && { secrets: { secret: 'rotated' } }),
      result: { status: 200, body: { ...after, ...(rotated && { secret: rotated.secret }) } },
    };
  });
};

/** The previous secret never outlives the credential. Null must stay null, which least() alone does not ensure. */
const noLaterThan = (end: Date) =>
  sql`case when ${credentials.previousSecretExpiresAt} > ${end.toISOString()}::timestamptz
    then ${end.toISOString()}::timestamptz else ${credentials.previousSecretExpiresAt} end`;

type Optional = 'status' | 'allowedClockSkewSeconds' | 'replayWindowSeconds' | 'requestsPerMinute' | 'expiresAt';
type NewCredential = Pick<Row, 'tenantId' | 'clientId' | 'name'> & Partial<Pick<Row, Optional>>;

const DEFAULTS = { status: 'ACTIVE', allowedClockSkewSeconds: 300, replayWindowSeconds: 300 } as const;

/** Registers the client_id for good and stores the credential; null if the client_id is taken on the platform. */
export async function insertCredential(tx: Transaction, keyring: Keyring, fields: NewCredential) {
  const { tenantId, clientId } = fields;
  const name = { kind: 'CLIENT_ID', name: clientId, tenantId } as const;
  const [taken] = await tx.insert(takenNames).values(name).onConflictDoNothing().returning();
  if (!taken) return null;
  const secret = generateCredentialSecret();
  const row = await insertRow(tx, credentials, {
    ...DEFAULTS,
    ...fields,
    secretVersion: 1,
    secretSealed: keyring.seal(secret, credentialOwner(tenantId, clientId, 1)),
  });
  return { row, secret };
}

/** The row is locked. */
async function rotateSecret(tx: Transaction, keyring: Keyring, locked: Row, previousSecretTtlSeconds = 0) {
  const secret = generateCredentialSecret();
  const secretVersion = locked.secretVersion + 1;
  const key = { client_id: locked.clientId };
  const row = await updateRow(tx, locked, credentials, key, {
    secretVersion,
    secretSealed: keyring.seal(secret, credentialOwner(locked.tenantId, locked.clientId, secretVersion)),
    ...previousSecret(locked.secretSealed, previousSecretTtlSeconds, credentials.expiresAt),
    secretLastUsedAt: null,
    previousSecretLastUsedAt: locked.secretLastUsedAt,
  });
  return { row, secret };
}

/**
 * Reads and locks a credential to change it; null if the tenant has none with this name. New commands lock only its
 * key, which this lock leaves free, so they do not wait.
 */
export async function lockCredential(
  tx: Transaction,
  call: Pick<CallOf<'CREDENTIAL_DELETED'>, 'tenantId' | 'refuse'>,
  clientId: string,
) {
  const own = ownRow(credentials, call, { client_id: clientId });
  const [row] = await tx.select().from(credentials).where(own).for('no key update');
  if (!row) return null;
  if (row.status === 'DELETED') throw call.refuse('CREDENTIAL_DELETED');
  return row;
}

export const sealedCredentials = sealedTable(credentials, {
  id: 'clientId',
  secrets: {
    secretSealed: ({ tenantId, clientId, secretVersion }) => credentialOwner(tenantId, clientId, secretVersion),
    previousSecretSealed: (row) => credentialOwner(row.tenantId, row.clientId, row.secretVersion - 1),
  },
});
