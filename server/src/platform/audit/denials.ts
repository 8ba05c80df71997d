import { allOperations } from '@tenant-open-platform/contract';
import { ApiError } from '../operation/api-error.js';
import type { Call } from '../operation/call.js';
import { createWindows } from '../waiting/windows.js';
import { auditOf, insertAuditEvent, lockLiveTenant } from './with-audit.js';

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
