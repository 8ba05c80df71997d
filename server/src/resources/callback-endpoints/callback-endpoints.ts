import { randomBytes } from 'node:crypto';
import { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { sealedTable } from '../../foundation/secrets/rewrap-secrets.js';
import { type SecretChanges, withAudit } from '../../gateway/audit/audit.js';
import type { Call } from '../../gateway/operation/call.js';
import { auditedDeletion, getHandler, type Handler, listHandler } from '../handlers.js';
import {
  columnsOf,
  insertRow,
  newIdOf,
  ownRow,
  presenter,
  previousSecret,
  readRow,
  refuseBeyondLimit,
  stillAhead,
  updateRow,
} from '../rows.js';
import { callbackEndpoints, callbackSubscriptions } from '../tables.js';
import { canonicalCallbackUrl } from './callback-url.js';

type Row = typeof callbackEndpoints.$inferSelect;

const fieldsOf = presenter(callbackEndpoints, contract.callbackEndpoints.get.responses[200]);

const presentCallbackEndpoint = (row: Row, call: Call) => ({
  ...fieldsOf(row, call),
  previous_secret_expires_at: stillAhead(row.previousSecretExpiresAt, call),
});

/** As the audit log shows it. The query of a URL often holds a token, and the log keeps its entries for long. */
const auditedCallbackEndpoint = (row: Row, call: Call) => ({
  ...presentCallbackEndpoint(row, call),
  url: row.url.replace(/\?.+/, '?…'),
});

/** The log shows a change of the query without its value. */
function changeOfQuery(before: string, after: string): SecretChanges {
  const [one, other] = [new URL(before).search, new URL(after).search];
  if (one === other) return {};
  return { url_query: one === '' ? 'set' : other === '' ? 'removed' : 'rotated' };
}

const DEFAULTS = { status: 'ACTIVE', timeoutSeconds: 15, maxAttempts: 10 } as const;

export const create: Handler<'callbackEndpoints.create'> = async ({ body }, call, { keyring, limits }) => {
  const { tenantId, admittedAt } = call;
  const url = canonicalCallbackUrl(body.url, call.refuse);
  const endpointId = newIdOf(call);
  const { secret, columns } = makeCallbackSecret(keyring, { tenantId, endpointId }, 1);
  const created = await withAudit(call, { fields: body, created: endpointId }, async (tx) => {
    await refuseBeyondLimit(tx, call, callbackEndpoints, limits);
    const row = await insertRow(tx, callbackEndpoints, {
      ...DEFAULTS,
      ...columnsOf(callbackEndpoints, body),
      ...columns,
      tenantId,
      endpointId,
      url,
      createdAt: admittedAt,
      updatedAt: admittedAt,
    });
    const result = { ...presentCallbackEndpoint(row, call), secret };
    return { before: null, after: auditedCallbackEndpoint(row, call), secrets: { secret: 'set' }, result };
  });
  return { status: 201, body: created };
};

export const list = listHandler({
  table: callbackEndpoints,
  order: ['endpointId'],
  filteredBy: ['status'],
  present: presentCallbackEndpoint,
});

export const get = getHandler(callbackEndpoints, presentCallbackEndpoint);

export const update: Handler<'callbackEndpoints.update'> = async ({ params, body }, call, { keyring }) => {
  const changed = await withAudit(call, { fields: body }, async (tx) => {
    const locked = await readRow(tx, call, callbackEndpoints, params, 'no key update');
    const url = body.url === undefined ? undefined : canonicalCallbackUrl(body.url, call.refuse);
    const rotated = body.rotate_secret ? makeCallbackSecret(keyring, locked, locked.secretVersion + 1) : null;
    const row = await updateRow(tx, call, callbackEndpoints, params, {
      ...columnsOf(callbackEndpoints, body),
      url,
      ...rotated?.columns,
      ...(rotated && previousSecret(locked.secretSealed, body.previous_secret_ttl_seconds ?? 0)),
    });
    return {
      before: auditedCallbackEndpoint(locked, call),
      after: auditedCallbackEndpoint(row, call),
      secrets: { ...changeOfQuery(locked.url, row.url), ...(rotated && { secret: 'rotated' }) },
      result: { ...presentCallbackEndpoint(row, call), ...(rotated && { secret: rotated.secret }) },
    };
  });
  return { status: 200, body: changed };
};

const deleteCallbackEndpoint: Handler<'callbackEndpoints.delete'> = ({ params }, call) =>
  auditedDeletion(call, { params }, async (tx) => {
    // A concurrent new subscription either waits for this lock and then finds no endpoint, or committed before it.
    const locked = await readRow(tx, call, callbackEndpoints, params, 'update');
    const { tenantId, endpointId } = callbackSubscriptions;
    const isOfEndpoint = and(eq(tenantId, call.tenantId), eq(endpointId, params.endpoint_id));
    await tx.delete(callbackSubscriptions).where(isOfEndpoint);
    await tx.delete(callbackEndpoints).where(ownRow(callbackEndpoints, call, params));
    return auditedCallbackEndpoint(locked, call);
  });

export { deleteCallbackEndpoint as delete };

type Key = Pick<Row, 'tenantId' | 'endpointId'>;

/** A new secret and its columns: `whsec_` and 32 bytes in base64, as in Standard Webhooks. */
function makeCallbackSecret(keyring: Keyring, key: Key, secretVersion: number) {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  return {
    secret,
    columns: { secretVersion, secretSealed: keyring.seal(secret, callbackSecretOwner(key, secretVersion)) },
  };
}

/** The identity that a secret is sealed for. The secret does not open in another row or version. */
const callbackSecretOwner = ({ tenantId, endpointId }: Key, secretVersion: number) =>
  `callback-endpoint:${tenantId}:${endpointId}:${secretVersion}`;

export const sealedCallbackEndpoints = sealedTable(callbackEndpoints, {
  id: 'endpointId',
  secrets: {
    secretSealed: (row) => callbackSecretOwner(row, row.secretVersion),
    previousSecretSealed: (row) => callbackSecretOwner(row, row.secretVersion - 1),
  },
});
