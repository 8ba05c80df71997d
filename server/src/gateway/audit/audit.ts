import { createHash } from 'node:crypto';
import { allOperations } from '@tenant-open-platform/contract';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { sql } from 'drizzle-orm';
import { ApiError } from '../../foundation/api-error.js';
import { createWindows } from '../../foundation/concurrency/limits-per-key.js';
import { createTurns } from '../../foundation/concurrency/turns.js';
import type { Transaction } from '../../foundation/database/database.js';
import { newIdByDatabase } from '../../foundation/ids.js';
import type { Call } from '../operation/call.js';
import { auditEvents } from '../tables.js';
import { countRows, isDayFull, refuseOnFullDay } from './daily-bytes.js';

export type Change = {
  /** The request body: `changes` keeps the names of its fields. The work may find that fewer fields were set. */
  fields: object;
  /** For a creation or deletion: the suffix that turns the request's path into the path of the resource. */
  created?: string;
  /** The change is not refused on a full day. For a deletion of permissions, or one that was checked before. */
  mayExceed?: true;
};

/** The result of a change. `before` is null for a creation and `after` for a deletion; neither ever holds a secret. */
type Changed<Result> = { result: Result; before: Facts | null; after: Facts | null; secrets?: SecretChanges };

/**
 * Changes of one tenant run one after the other in a process: most of them lock the tenant's row. The operator's changes
 * have turns of their own: whatever the tenant does, the operator can disable it.
 */
const inTurn = createTurns();

/** A change of a resource that the audit log shows as its answers do. Its result is the answer. */
export function changeOf<Row, Item extends Facts>(
  call: Call,
  present: (row: Row, call: Call) => Item,
  before: Row | null | undefined,
  after: Row,
): Changed<Item> {
  const result = present(after, call);
  return { before: before ? present(before, call) : null, after: result, result };
}

/**
 * Runs an administrative change and writes its audit entry in the same transaction: both are stored or neither is. With
 * an Idempotency-Key it runs once, and the result is stored in the same transaction, too.
 */
export function withAudit<Result>(
  call: Call,
  change: Change,
  work: (tx: Transaction) => Promise<Changed<Result>>,
): Promise<Result> {
  const changed = async (tx: Transaction) => {
    const mayRevoke = 'status' in change.fields && change.fields.status !== 'ACTIVE';
    if (!change.mayExceed && !mayRevoke) await refuseOnFullDay(tx, call);
    const { result, before, after, secrets } = await work(tx);
    const values = changedValues(before, after, secrets);
    if (mayRevoke && !isRevocation(values)) await refuseOnFullDay(tx, call);
    const event = {
      ...auditOf(call),
      tenantId: call.tenantId,
      target: change.created === undefined ? call.path : `${call.path}/${change.created}`,
      changes: Object.keys(change.fields),
      ...values,
      outcome: 'DONE' as const,
    };
    await insertAuditEvent(tx, event);
    await countRows(tx, call, 'DONE', call.once ? [event, result] : [event]);
    return result;
  };
  const changedOnce = async (tx: Transaction) => {
    await lockLiveTenant(tx, call.tenantId, call.caller.tenantId);
    return call.once ? call.once(tx, () => changed(tx)) : changed(tx);
  };
  const turn = call.caller.tenantId === call.tenantId ? call.tenantId : `${call.tenantId} operator`;
  return inTurn(turn, () => call.asTenant(changedOnce, call.tenantId));
}

/** Refuses a tenant that is DELETING or DELETED. tenants.delete waits for the lock: nothing is written after it began. */
async function lockLiveTenant(tx: Transaction, tenantId: string, callersTenantId: string): Promise<void> {
  const live = await tx.execute(sql`
    select from tenants where tenant_id = ${tenantId} and status not in ('DELETING', 'DELETED') for key share`);
  if (live.length > 0) return;
  throw new ApiError(tenantId === callersTenantId ? 'UNAUTHENTICATED' : 'TENANT_DELETED');
}

type NewAuditEvent = Omit<typeof auditEvents.$inferInsert, 'auditEventId' | 'occurredAt'>;

const auditOf = ({ caller, operation, requestId, sourceAddress }: Call) => ({
  clientId: caller.clientId,
  operation,
  requestId,
  sourceAddress,
});

/** The primary key lists the log in order. */
export async function insertAuditEvent(tx: Transaction, event: NewAuditEvent): Promise<void> {
  await tx.insert(auditEvents).values({ ...event, auditEventId: newIdByDatabase() });
}

/** Bounds the log: a caller that is refused without end must not fill it. */
const DENIALS_PER_MINUTE = 60;

const administrativeWrites = new Set(
  allOperations
    .filter(({ route }) => route.method !== 'GET' && route.metadata.scope?.startsWith('platform:'))
    .map(({ name }) => name),
);

/** Records refused administrative requests in the audit log of the caller's own tenant. */
export function createDenialRecorder() {
  const denials = createWindows(60_000);
  return async (error: unknown, call: Call | undefined): Promise<void> => {
    if (!call || !(error instanceof ApiError) || error.code !== 'FORBIDDEN') return;
    if (!administrativeWrites.has(call.operation)) return;
    const { tenantId, clientId } = call.caller;
    if (denials.add(clientId).used > DENIALS_PER_MINUTE) return;
    await call.asTenant(async (tx) => {
      await lockLiveTenant(tx, tenantId, tenantId);
      if (await isDayFull(tx, call, 'DENIED')) return;
      const event = { ...auditOf(call), tenantId, target: call.path, changes: [], outcome: 'DENIED' as const };
      await insertAuditEvent(tx, event);
      await countRows(tx, call, 'DENIED', [event]);
    }, tenantId);
  };
}

/** The fields of a resource as in its answers. An answer contains no stored secret. */
export type Facts = Readonly<Record<string, unknown>>;

export type SecretChanges = Readonly<Record<string, 'set' | 'rotated' | 'removed' | undefined>>;

/** Fields that every resource or every request has, and those that the use of a credential changes. */
const NOT_CHANGED_BY_ANYBODY = new Set([
  'request_id',
  'created_at',
  'updated_at',
  'last_used_at',
  'secret_last_used_at',
  'previous_secret_last_used_at',
]);

const LARGEST_VALUE_BYTES = 2_048;
const LARGEST_ENTRY_BYTES = 8_192;
/** The summary of a smaller value would be larger than the value. */
const SUMMARY_BYTES = 100;

/**
 * The values that differ; for a created or deleted resource, all of them. A large value is replaced by its size and the
 * SHA-256 of its canonical JSON, so that an auditor can still compare it.
 */
export function changedValues(before: Facts | null, after: Facts | null, secrets: SecretChanges = {}) {
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => !NOT_CHANGED_BY_ANYBODY.has(name) && jsonOf(before?.[name]) !== jsonOf(after?.[name]),
  );
  const valuesOf = (facts: Facts | null, changed: SecretChanges) =>
    facts && bounded({ ...Object.fromEntries(names.map((name) => [name, facts[name] ?? null])), ...changed });
  return { before: valuesOf(before, {}), after: valuesOf(after, secrets) };
}

/** What was active is disabled or marked as deleted, and nothing else changes. It can be done once on a full day. */
const isRevocation = ({ before, after }: ReturnType<typeof changedValues>) =>
  before?.status === 'ACTIVE' && Object.keys(after ?? {}).join() === 'status';

const jsonOf = (value: unknown) => JSON.stringify(value ?? null);

function bounded(values: Facts): Record<string, unknown> {
  let bytesLeft = LARGEST_ENTRY_BYTES;
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        const kept = summarized(value, Math.max(SUMMARY_BYTES, Math.min(LARGEST_VALUE_BYTES, bytesLeft)));
        bytesLeft -= Buffer.byteLength(jsonOf(kept));
        return [name, kept];
      }),
  );
}

function summarized(value: unknown, mostBytes: number): unknown {
  const bytes = Buffer.byteLength(jsonOf(value));
  if (bytes <= mostBytes) return value;
  return { bytes, sha256: createHash('sha256').update(canonicalJson(value)).digest('hex') };
}
