import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/http/api-error.js';
import { commandTypes, vendors } from './catalog.table.js';

type CommandType = { revision: number; enabled: boolean; validate: ValidateFunction };
type Vendor = { enabled: boolean; commandTypes: Map<string, CommandType> };

/** What a command was checked against: the accept statement makes sure that it is still so. */
export type Checked = { revision: number };

const MAX_DETAILS = 20;

/**
 * The catalog in memory, with compiled payload schemas. It may be behind the database: what it lets through is
 * re-checked when the command is inserted, and what it refuses is refused again after a reload.
 */
export function commandCatalog(database: Database) {
  let known = new Map<string, Vendor>();
  const compiled = new Map<string, { revision: number; validate: ValidateFunction }>();
  const ajv = addFormats.default(new Ajv2020({ allErrors: true, strict: false, logger: false }));

  function compile(key: string, revision: number, schema: object): ValidateFunction {
    const cached = compiled.get(key);
    if (cached?.revision === revision) return cached.validate;
    const validate = ajv.compile(schema);
    compiled.set(key, { revision, validate });
    return validate;
  }

  async function reload(): Promise<void> {
    const rows = await database.drizzle
      .select({ vendor: vendors.vendor, vendorEnabled: vendors.enabled, type: commandTypes })
      .from(vendors)
      .leftJoin(commandTypes, eq(commandTypes.vendor, vendors.vendor));
    const loaded = new Map<string, Vendor>();
    for (const { vendor, vendorEnabled, type } of rows) {
      const entry = loaded.get(vendor) ?? { enabled: vendorEnabled, commandTypes: new Map() };
      loaded.set(vendor, entry);
      if (!type) continue;
      const validate = compile(`${vendor} ${type.commandType}`, type.revision, type.payloadSchema);
      entry.commandTypes.set(type.commandType, { revision: type.revision, enabled: type.enabled, validate });
    }
    known = loaded;
  }

  return {
    reload,
    /** Answers the refusal rather than throwing it: a used idempotency_key comes before it. */
    check(command: { vendor: string; command_type: string; payload: unknown }): Checked | ApiError {
      const vendor = known.get(command.vendor);
      if (!vendor?.enabled) return new ApiError('VENDOR_NOT_ENABLED');
      const type = vendor.commandTypes.get(command.command_type);
      if (!type?.enabled) return new ApiError('COMMAND_TYPE_UNKNOWN');
      if (type.validate(command.payload)) return { revision: type.revision };
      return new ApiError('COMMAND_PAYLOAD_INVALID', {
        details: (type.validate.errors ?? []).slice(0, MAX_DETAILS).map(toDetail),
      });
    },
  };
}

export type CommandCatalog = ReturnType<typeof commandCatalog>;

function toDetail({ instancePath, keyword, message, params }: ErrorObject) {
  const property = 'additionalProperty' in params ? ` (${String(params.additionalProperty).slice(0, 128)})` : '';
  return {
    location: `body/payload${instancePath}`,
    code: keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    message: `${message ?? 'is not valid'}${property}`,
  };
}
