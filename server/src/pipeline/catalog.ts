import { setImmediate as nextTick } from 'node:timers/promises';
import type { Check } from '@tenant-open-platform/contract/payload-schema';
import { type ApiError, type Refuse, refuse, unavailable } from '../foundation/api-error.js';
import { sharedNext } from '../foundation/concurrency/shared-reads.js';
import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { compilePayloadSchema } from './payload-schema.js';

type Key = { vendor: string; command_type: string };
type CommandToCheck = Key & { payload: unknown };
type Refused = 'VENDOR_NOT_ENABLED' | 'COMMAND_TYPE_UNKNOWN' | 'COMMAND_PAYLOAD_INVALID';

/** An enabled command type of an enabled vendor. `faultsOf` throws if its schema does not compile. */
type CommandType = { revision: number; faultsOf: Check };

/** Command types by `keyOf`: null if the type is not enabled, absent if its vendor is not. */
export type Found = ReadonlyMap<string, CommandType | null>;

/** What a command was checked against. The accept statement verifies that it is still current. */
export type Checked = { revision: number };

/**
 * The command types that were used, in memory, each compiled at its first use. They may be behind the database. The
 * accept statement re-checks every command that it accepts, and it refuses a command only after a new read of its type.
 */
export function commandCatalog(database: Database, compile = compilePayloadSchema) {
  let used = new Map<string, CommandType>();
  // In another generation a revision may belong to another schema.
  database.generations.onNew(() => {
    used = new Map();
  });
  let asked = new Map<string, Key>();

  const compiled = (schema: Record<string, unknown>): Promise<Check> =>
    compile(schema, refuse).catch((error: unknown) => () => {
      throw error;
    });

  async function typeOf({ revision, payload_schema }: Row, known: CommandType | undefined) {
    if (revision === null) return null;
    if (!payload_schema) return known ?? null;
    // Compiling takes milliseconds: other requests run between two types.
    await nextTick();
    return { revision, faultsOf: await compiled(payload_schema) };
  }

  const readAsked = sharedNext((): Promise<Found> => {
    const keys = asked;
    asked = new Map();
    return read(keys);
  });

  async function read(keys: ReadonlyMap<string, Key>): Promise<Found> {
    const known = used;
    const found = new Map<string, CommandType | null>();
    const given = [...keys].map(([key, asked]) => ({ ...asked, known_revision: known.get(key)?.revision }));
    const rows = await asAllTenantsStatement<Row>(database, selectTypes(JSON.stringify(given)));
    for (const row of rows) found.set(keyOf(row), await typeOf(row, known.get(keyOf(row))));
    // A generation has begun: the known revisions said nothing about this one.
    if (used !== known) return read(keys);
    for (const key of keys.keys()) {
      const type = found.get(key);
      if (type) used.set(key, type);
      else used.delete(key);
    }
    return found;
  }

  return {
    /** The current types of these commands. All callers that wait for the next read share one statement. */
    read(commands: readonly Key[]): Promise<Found> {
      for (const { vendor, command_type } of commands) {
        const key = { vendor, command_type };
        asked.set(keyOf(key), key);
      }
      return readAsked();
    },
    /**
     * Returns the refusal instead of throwing it, because a used idempotency_key takes precedence. Without a read it
     * also refuses a command whose type was not used before.
     */
    check(command: CommandToCheck, refuse: Refuse<Refused>, found: Found = used): Checked | ApiError {
      const type = found.get(keyOf(command));
      if (type === undefined) return refuse('VENDOR_NOT_ENABLED');
      if (type === null) return refuse('COMMAND_TYPE_UNKNOWN');
      const { revision, faultsOf } = type;
      try {
        const details = faultsOf(command.payload, 'body/payload');
        return details.length === 0 ? { revision } : refuse('COMMAND_PAYLOAD_INVALID', { details });
      } catch (cause) {
        const message =
          'The catalog has no usable payload schema for this command type. Ask the operator to correct it.';
        return Object.assign(unavailable(message, 1), { cause });
      }
    },
  };
}

export type CommandCatalog = ReturnType<typeof commandCatalog>;

const keyOf = ({ vendor, command_type }: Key) => `${vendor} ${command_type}`;

type Row = Key & { revision: number | null; payload_schema: Record<string, unknown> | null };

/** The types of enabled vendors, without a revision if the type is not enabled. A known schema is not sent again. */
const selectTypes = statement(
  'catalog: read the asked command types',
  (keys: string) => fixedSql`
    select asked.vendor, asked.command_type, revision,
      case when revision is distinct from known_revision then payload_schema end as payload_schema
    from json_to_recordset(${keys}::text::json) as asked (vendor text, command_type text, known_revision int)
    cross join lateral (
      select from vendors where vendors.vendor = asked.vendor and vendors.enabled offset 0
    ) as vendor
    left join lateral (
      select revision, payload_schema from command_types
      where command_types.vendor = asked.vendor and command_types.command_type = asked.command_type
        and command_types.enabled
      offset 0
    ) as type on true`,
);
