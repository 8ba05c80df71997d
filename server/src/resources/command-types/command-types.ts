import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { and, eq } from 'drizzle-orm';
import { type ApiError, validationFailed } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { Call, CallOf, Handler } from '../../gateway/operation/call.js';
import { compilePayloadSchema } from '../../pipeline/payload-schema.js';
import { commandTypes, vendors } from '../../pipeline/tables.js';
import { newestFirst } from '../lists.js';
import { presenter, readRow, refuseBeyondLimit, updateRow } from '../rows.js';

const presentCommandType = presenter(commandTypes);

export const listCommandTypes: Handler<'commandTypes.list'> = async ({ params: { vendor }, query }, call) => {
  await call.asTenant((tx) => readRow(tx, call, vendors, eq(vendors.vendor, vendor)));
  const ofVendor = { ...query, vendor };
  return newestFirst(call, ofVendor, {
    table: commandTypes,
    order: ['createdAt', 'commandType'],
    ofPlatform: true,
    range: eq(commandTypes.vendor, vendor),
    json: ['payload_schema'],
    present: presentCommandType,
  });
};

type Put = Pick<Parameters<Handler<'commandTypes.put'>>[0], 'params' | 'body'>;

export const putCommandType =
  (limit: number): Handler<'commandTypes.put'> =>
  async ({ params, body }, call) => {
    if (body.payload_schema) await compilePayloadSchema(body.payload_schema, call.refuse);
    const put = await withAudit(call, { fields: body }, async (tx) => {
      await readRow(tx, call, vendors, eq(vendors.vendor, params.vendor));
      const put = { params, body };
      return (await insertCommandType(tx, call, put, limit)) ?? updateCommandType(tx, call, put);
    });
    return { status: 200, body: put };
  };

/** Null if the command type exists, or if the body lacks a field that a new one needs. */
async function insertCommandType(
  tx: Transaction,
  call: CallOf<'RESOURCE_LIMIT_REACHED'>,
  { params, body }: Put,
  limit: number,
) {
  const { enabled = true, description, payload_schema: payloadSchema } = body;
  if (description === undefined || payloadSchema === undefined) return null;
  const [existing] = await tx.select().from(commandTypes).where(keyOf(params));
  if (existing) return null;
  await refuseBeyondLimit(tx, call, commandTypes, limit);
  const values = { vendor: params.vendor, commandType: params.command_type, enabled, description, payloadSchema };
  const [created] = await tx.insert(commandTypes).values(values).onConflictDoNothing().returning();
  return created ? changeOf(call, presentCommandType, null, created) : null;
}

async function updateCommandType(tx: Transaction, call: Call, { params, body }: Put) {
  const { enabled, description, payload_schema: payloadSchema } = body;
  const key = keyOf(params);
  // Lock the row: two concurrent changes of the schema must both increment the revision.
  const [current] = await tx.select().from(commandTypes).where(key).for('update');
  if (!current) throw missingFields(body);
  const isNewSchema = payloadSchema && canonicalJson(payloadSchema) !== canonicalJson(current.payloadSchema);
  const revised = isNewSchema && { payloadSchema, revision: current.revision + 1 };
  const updated = await updateRow(tx, commandTypes, key, { enabled, description, ...revised });
  return changeOf(call, presentCommandType, current, updated);
}

const keyOf = ({ vendor, command_type }: Put['params']) =>
  and(eq(commandTypes.vendor, vendor), eq(commandTypes.commandType, command_type));

function missingFields(body: Put['body']): ApiError {
  const missing = (['description', 'payload_schema'] as const).filter((name) => body[name] === undefined);
  const message = 'is required for a new command type';
  return validationFailed(missing.map((name) => ({ location: `body/${name}`, code: 'REQUIRED', message })));
}
