import { and, eq, inArray } from 'drizzle-orm';
import type { Call } from '../../platform/operation/call.js';
import type { NewCommand } from './accept-commands.js';
import { commands } from './commands.table.js';

const { commandId, acceptedAt, idempotencyKey, vendor, deviceId, commandType, payloadSha256, timeoutSeconds } =
  commands;
/** Not the payload and the result: 500 commands could have megabytes of them. */
const columns = { commandId, acceptedAt, idempotencyKey, vendor, deviceId, commandType, payloadSha256, timeoutSeconds };

export type Existing = Pick<typeof commands.$inferSelect, keyof typeof columns>;

/** The commands of the tenant that have used these idempotency keys, by key. */
export async function readByKeys({ tenantId, asTenant }: Call, of: { key: string }[]) {
  if (of.length === 0) return new Map<string, Existing>();
  const keys = of.map(({ key }) => key);
  const rows = await asTenant((tx) =>
    tx
      .select(columns)
      .from(commands)
      .where(and(eq(commands.tenantId, tenantId), inArray(idempotencyKey, keys))),
  );
  return new Map(rows.map((row) => [row.idempotencyKey, row]));
}

/** The fields of a request that differ from the command that its key belongs to. */
export const differingFields = (existing: Existing, request: NewCommand): string[] =>
  [
    existing.vendor !== request.vendor && 'vendor',
    existing.deviceId !== request.device_id && 'device_id',
    existing.commandType !== request.command_type && 'command_type',
    existing.payloadSha256.toString('hex') !== request.payload_sha256 && 'payload',
    existing.timeoutSeconds !== request.timeout_seconds && 'timeout_seconds',
  ].filter((field) => field !== false);
