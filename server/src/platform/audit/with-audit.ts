import { allOperations } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database/database.js';
import { ID_TIME, newIdTail } from '../new-id.js';
import { ApiError } from '../operation/api-error.js';
import type { Call } from '../operation/call.js';
import { createTurns } from '../waiting/turns.js';
import { createWindows } from '../waiting/windows.js';
import { auditEvents } from './audit-events.table.js';
import { changedValues, type Facts, type SecretChanges } from './changed-values.js';

type Change = {
  /** The request body: `changes` keeps the names of its fields. The work may find that fewer fields were set. */
  fields: object;
  /** For a creation or deletion: the suffix that turns the request's path into the path of the resource. */
  created?: string;
};

/** The result of a change. `before` is null for a creation and `after` for a deletion; neither ever holds a secret. */
type Changed<Result> = {
  result: Result;
  before: Facts | null;
  after: Facts | null;
  secrets?: SecretChanges;
};

/**
 * Changes of one tenant run one after the other in a process. Most of them lock the tenant's row. If they ran at once,
 * they would take all database connections only to wait for each other, and requests of other tenants would wait too.
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
    const { result, before, after, secrets } = await work(tx);
    await insertAuditEvent(tx, {
      ...auditOf(call),
      tenantId: call.tenantId,
      target: change.created === undefined ? call.path : `${call.path}/${change.created}`,
      changes: Object.keys(change.fields),
      ...changedValues(before, after, secrets),
      outcome: 'DONE',
    });
    return result;
  };
  const changedOnce = async (tx: Transaction) => {
    await lockLiveTenant(tx, call.tenantId, call.caller.tenantId);
    return call.once ? call.once(tx, () => changed(tx)) : changed(tx);
  };
  return inTurn(call.tenantId, () => call.asTenant(changedOnce, call.tenantId));
}

/**
 * Refuses a tenant that is DELETING or DELETED. The lock makes tenants.delete wait for the commit: a transaction writes
 * before the deletion begins, or never.
 */
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

/** The id is a UUID v7 from the database's clock, so the primary key lists the log in order. */
export async function insertAuditEvent(tx: Transaction, event: NewAuditEvent): Promise<void> {
  await tx.insert(auditEvents).values({
    ...event,
    auditEventId: sql`(${sql.raw(ID_TIME)} || ${newIdTail()})::uuid`,
  });
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
      await insertAuditEvent(tx, { ...auditOf(call), tenantId, target: call.path, changes: [], outcome: 'DENIED' });
    }, tenantId);
  };
}
