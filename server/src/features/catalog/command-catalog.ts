import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Database } from '../../platform/database/database.js';
import { asSystem } from '../../platform/database/roles.js';
import { ApiError } from '../../platform/http/api-error.js';
import { locationOf } from '../../platform/http/location.js';

type CommandType = { revision: number; enabled: boolean; validate: Validate };
type Vendor = { enabled: boolean; commandTypes: Map<string, CommandType> };
/** An Error where the schema does not compile. */
type Validate = ValidateFunction | Error;

/** What a command was checked against: the accept statement makes sure that it is still so. */
export type Checked = { revision: number };

const MAX_DETAILS = 20;

/**
 * The catalog in memory, with compiled payload schemas. It may be behind the database: what it lets through is
 * re-checked when the command is inserted, and what it refuses is refused again after a reload.
 */
export function commandCatalog(database: Database) {
  let known = new Map<string, Vendor>();
  const compiled = new Map<string, { revision: number; validate: Validate }>();
  let underWay: Promise<unknown> = Promise.resolve();
  let coming: Promise<void> | null = null;

  function compileOnce(key: string, revision: number, schema: object): Validate {
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
    /** Callers that come while one load runs share the next: it starts after they came, and misses no earlier change. */
    reload(): Promise<void> {
      coming ??= underWay.then(() => {
        coming = null;
        const loading = load();
        underWay = loading.catch(() => {});
        return loading;
      });
      return coming;
    },
    /** Answers the refusal rather than throwing it: a used idempotency_key comes before it. */
    check(command: { vendor: string; command_type: string; payload: unknown }): Checked | ApiError {
      const vendor = known.get(command.vendor);
      if (!vendor?.enabled) return new ApiError('VENDOR_NOT_ENABLED');
      const type = vendor.commandTypes.get(command.command_type);
      if (!type?.enabled) return new ApiError('COMMAND_TYPE_UNKNOWN');
      if (type.validate instanceof Error) {
        const unavailable = new ApiError('SERVICE_UNAVAILABLE', {
          message: 'The catalog has no usable payload schema for this command type. Ask the operator to correct it.',
          headers: { 'Retry-After': '1' },
        });
        return Object.assign(unavailable, { cause: type.validate });
      }
      if (type.validate(command.payload)) return { revision: type.revision };
      return new ApiError('COMMAND_PAYLOAD_INVALID', {
        details: (type.validate.errors ?? []).slice(0, MAX_DETAILS).map(toDetail),
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
  asSystem<Row>(
    database,
    (sql) => sql<Row[]>`
      select vendor, vendors.enabled as vendor_enabled, command_type, command_types.enabled, revision, payload_schema
      from vendors left join command_types using (vendor)`,
  );

/** An Ajv of its own for every schema: one that knew them all would refuse the second of an $id. */
function compile(schema: object): Validate {
  try {
    return addFormats.default(new Ajv2020({ strict: false, logger: false })).compile(schema);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function toDetail({ instancePath, keyword, message, params }: ErrorObject) {
  const property = 'additionalProperty' in params ? ` (${String(params.additionalProperty).slice(0, 128)})` : '';
  return {
    location: locationOf('body/payload', instancePath.split('/').slice(1).map(unescapeStep)),
    code: keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    message: `${message ?? 'is not valid'}${property}`,
  };
}

/** RFC 6901, 4. */
const unescapeStep = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
