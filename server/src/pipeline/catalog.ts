import type { ValidateFunction } from 'ajv';
import { sql } from 'drizzle-orm';
import { type ApiError, type Refuse, refuse, unavailable } from '../foundation/api-error.js';
import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/roles.js';
import { sharedNext } from '../foundation/waiting/shared.js';
import { compilePayloadSchema, validationDetails } from './payload-schema.js';

type CommandType = { revision: number; enabled: boolean; validate: Validate };
type Vendor = { enabled: boolean; commandTypes: Map<string, CommandType> };
/** An Error if the schema does not compile. */
type Validate = ValidateFunction | Error;

type CommandToCheck = { vendor: string; command_type: string; payload: unknown };
type Refused = 'VENDOR_NOT_ENABLED' | 'COMMAND_TYPE_UNKNOWN' | 'COMMAND_PAYLOAD_INVALID';

/** What a command was checked against. The accept statement verifies that it is still current. */
export type Checked = { revision: number };

/**
 * The catalog in memory, with compiled payload schemas. It may be behind the database. The accept statement re-checks
 * every command that it accepts, and it refuses a command only after a reload.
 */
export function commandCatalog(database: Database) {
  let known = new Map<string, Vendor>();
  const compiled = new Map<string, { revision: number; validate: Validate }>();

  function compileOnce(key: string, revision: number, schema: Record<string, unknown>): Validate {
    const cached = compiled.get(key);
    if (cached?.revision === revision) return cached.validate;
    const validate = compile(schema);
    compiled.set(key, { revision, validate });
    return validate;
  }

  async function load(): Promise<void> {
    const loaded = new Map<string, Vendor>();
    for (const row of await readRows(database)) {
      const entry = loaded.get(row.vendor) ?? { enabled: row.vendor_enabled, commandTypes: new Map() };
      loaded.set(row.vendor, entry);
      if (row.command_type === null) continue;
      const { command_type, enabled, revision, payload_schema } = row;
      const validate = compileOnce(`${row.vendor} ${command_type}`, revision, payload_schema);
      entry.commandTypes.set(command_type, { revision, enabled, validate });
    }
    known = loaded;
  }

  return {
    reload: sharedNext(load),
    /** Returns the refusal instead of throwing it, because a used idempotency_key takes precedence. */
    check(command: CommandToCheck, refuse: Refuse<Refused>): Checked | ApiError {
      const vendor = known.get(command.vendor);
      if (!vendor?.enabled) return refuse('VENDOR_NOT_ENABLED');
      const type = vendor.commandTypes.get(command.command_type);
      if (!type?.enabled) return refuse('COMMAND_TYPE_UNKNOWN');
      if (type.validate instanceof Error) {
        const message =
          'The catalog has no usable payload schema for this command type. Ask the operator to correct it.';
        return Object.assign(unavailable(message, 1), { cause: type.validate });
      }
      if (type.validate(command.payload)) return { revision: type.revision };
      return refuse('COMMAND_PAYLOAD_INVALID', {
        details: validationDetails('body/payload', type.validate.errors),
      });
    },
  };
}

export type CommandCatalog = ReturnType<typeof commandCatalog>;

type Row = { vendor: string; vendor_enabled: boolean } & (
  | { command_type: string; enabled: boolean; revision: number; payload_schema: Record<string, unknown> }
  | { command_type: null }
);

const readRows = (database: Database) =>
  asAllTenantsStatement<Row>(
    database,
    sql`
    select vendor, vendors.enabled as vendor_enabled, command_type, command_types.enabled, revision, payload_schema
    from vendors left join command_types using (vendor)`,
  );

function compile(schema: Record<string, unknown>): Validate {
  try {
    return compilePayloadSchema(schema, refuse);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
