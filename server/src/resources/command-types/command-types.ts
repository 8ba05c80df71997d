import { contract } from '@tenant-open-platform/contract';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { eq } from 'drizzle-orm';
import { validationFailed } from '../../foundation/api-error.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import { compilePayloadSchema } from '../../pipeline/payload-schema.js';
import { commandTypes, vendors } from '../../pipeline/tables.js';
import type { Handler } from '../handlers.js';
import { newestFirst } from '../lists.js';
import { insertRow, lockTenant, ownRow, presenter, readRow, refuseBeyondLimit, updateRow } from '../rows.js';

const presentCommandType = presenter(commandTypes, contract.commandTypes.put.responses[200]);

export const list: Handler<'commandTypes.list'> = async ({ params, query }, call) => {
  await call.asTenant((tx) => readRow(tx, call, vendors, params));
  const ofVendor = { ...query, ...params };
  return newestFirst(call, ofVendor, {
    table: commandTypes,
    order: ['createdAt', 'commandType'],
    ofPlatform: true,
    range: eq(commandTypes.vendor, params.vendor),
    json: ['payload_schema'],
    present: presentCommandType,
  });
};

export const put: Handler<'commandTypes.put'> = async ({ params, body }, call, { limits }) => {
  const { enabled, description, payload_schema: payloadSchema } = body;
  if (payloadSchema) await compilePayloadSchema(payloadSchema, call.refuse);
  const changed = await withAudit(call, { fields: body }, async (tx) => {
    // Two changes of the schema must both increment the revision, and of two creations the second one is a change.
    await lockTenant(tx, call);
    await readRow(tx, call, vendors, params);
    const [current] = await tx
      .select()
      .from(commandTypes)
      .where(ownRow(commandTypes, call, params));
    if (current) {
      const isNewSchema = payloadSchema && canonicalJson(payloadSchema) !== canonicalJson(current.payloadSchema);
      const revised = isNewSchema && { payloadSchema, revision: current.revision + 1 };
      const updated = await updateRow(tx, call, commandTypes, params, { enabled, description, ...revised });
      return changeOf(call, presentCommandType, current, updated);
    }
    if (description === undefined || payloadSchema === undefined) throw missingFields(body);
    await refuseBeyondLimit(tx, call, commandTypes, limits);
    const values = { vendor: params.vendor, commandType: params.command_type, description, payloadSchema };
    const created = await insertRow(tx, commandTypes, { ...values, enabled: enabled ?? true });
    return changeOf(call, presentCommandType, null, created);
  });
  return { status: 200, body: changed };
};

function missingFields(body: Parameters<typeof put>[0]['body']) {
  const missing = (['description', 'payload_schema'] as const).filter((name) => body[name] === undefined);
  const message = 'is required for a new command type';
  return validationFailed(missing.map((name) => ({ location: `body/${name}`, code: 'REQUIRED', message })));
}
