import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { and, eq, sql } from 'drizzle-orm';
import { ApiError } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import type { Call } from '../operation/call.js';
import { auditBytes } from '../tables.js';

type Outcome = (typeof auditBytes.$inferSelect)['outcome'];

/** The space of a row of the audit log or of a stored answer besides its values: header, ids, index entries. */
const ROW_BYTES = 500;

/** In UTC, by the clock of the database: all nodes have the same day. */
const TODAY = sql`(now() at time zone 'UTC')::date`;

/** The operator can always stop a tenant. What tenant `platform` does is not counted: it already administers all. */
const isOperator = ({ caller }: Call) => caller.tenantId === PLATFORM_TENANT_ID;

/** Whether the tenant has added all that it may add today. Changes that are under way are not counted yet. */
export async function isDayFull(tx: Transaction, call: Call, outcome: Outcome): Promise<boolean> {
  if (isOperator(call)) return false;
  const [today] = await tx
    .select({ bytes: auditBytes.bytes })
    .from(auditBytes)
    .where(
      and(eq(auditBytes.tenantId, call.caller.tenantId), eq(auditBytes.outcome, outcome), eq(auditBytes.day, TODAY)),
    );
  return (today?.bytes ?? 0) >= call.changeBytesPerDay;
}

/** Refuses a change of a tenant whose day is full. */
export async function refuseOnFullDay(tx: Transaction, call: Call): Promise<void> {
  if (!(await isDayFull(tx, call, 'DONE'))) return;
  const secondsLeft = 86_400 - (Math.floor(call.admittedAt.getTime() / 1_000) % 86_400);
  const limit = call.changeBytesPerDay;
  throw new ApiError('RATE_LIMITED', {
    message: `Changes to the tenant have added ${limit} bytes to its audit log and stored responses today (UTC), which is the limit. Send this change tomorrow, or ask the operator. You can still delete role bindings and policies, and disable what is ACTIVE.`,
    metadata: { quota: 'change_bytes', limit },
    headers: { 'Retry-After': String(secondsLeft) },
  });
}

/** Counts rows that this transaction adds. Their last statement, because it locks the count of the tenant. */
export async function countRows(tx: Transaction, call: Call, outcome: Outcome, rows: readonly unknown[]) {
  if (isOperator(call)) return;
  const bytes = Buffer.byteLength(JSON.stringify(rows)) + rows.length * ROW_BYTES;
  const isToday = sql`${auditBytes.day} = excluded.day`;
  await tx
    .insert(auditBytes)
    .values({ tenantId: call.caller.tenantId, outcome, day: TODAY, bytes })
    .onConflictDoUpdate({
      target: [auditBytes.tenantId, auditBytes.outcome],
      set: {
        day: sql`excluded.day`,
        bytes: sql`excluded.bytes + case when ${isToday} then ${auditBytes.bytes} else 0 end`,
      },
    });
}
