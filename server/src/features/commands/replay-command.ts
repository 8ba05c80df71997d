import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Call } from '../../platform/operation/call.js';
import type { NewCommand } from './accept-commands.js';
import { commands } from './commands.table.js';

/** The answer for a used idempotency_key: the existing command in its current state; null if there is none. */
export async function replayCommand(database: Database, call: Call, request: NewCommand) {
  const [existing] = await asTenant(database, call.tenantId, (tx) =>
    tx
      .select()
      .from(commands)
      .where(and(eq(commands.tenantId, call.tenantId), eq(commands.idempotencyKey, request.idempotency_key))),
  );
  if (!existing) return null;
  const differing = [
    existing.vendor !== request.vendor && 'vendor',
    existing.deviceId !== request.device_id && 'device_id',
    existing.commandType !== request.command_type && 'command_type',
    existing.payloadSha256.toString('hex') !== request.payload_sha256 && 'payload',
    existing.timeoutSeconds !== request.timeout_seconds && 'timeout_seconds',
  ].filter((field) => field !== false);
  return {
    status: 202 as const,
    body: {
      command_id: existing.commandId,
      status: 'ACCEPTED' as const,
      accepted_at: existing.acceptedAt.toISOString(),
      request_id: call.requestId,
    },
    headers: {
      'Idempotent-Replayed': 'true',
      ...(differing.length > 0 && { 'Idempotency-Mismatch': differing.join() }),
    },
  };
}
