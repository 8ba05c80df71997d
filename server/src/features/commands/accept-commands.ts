import {
  admitting,
  nonceKey,
  type SignedRequest,
  toRequestRow,
  toVerdict,
  VERDICT,
  type Verdict,
  type VerdictRow,
} from '../../platform/auth/admission.js';
import { batched } from '../../platform/database/batch.js';
import type { Database } from '../../platform/database/database.js';
import { asIngest } from '../../platform/database/roles.js';
import { ID_TIME } from '../../platform/new-id.js';

/** A checked command. Tenant and creator come from its request, the time from the database. */
export type NewCommand = {
  idempotency_key: string;
  vendor: string;
  device_id: string;
  command_type: string;
  /** The revision of the payload schema that it was checked against. */
  revision: number;
  payload: Record<string, unknown>;
  payload_sha256: string;
  timeout_seconds: number;
  request_id: string;
  /** The part of its UUID v7 after the time. */
  command_id_tail: string;
};

/**
 * ACCEPTED: stored. KEY_USED: the tenant has a command with this key. CATALOG_CHANGED: check it again, and whether the
 * tenant may use the vendor.
 */
export type Acceptance =
  | { outcome: 'ACCEPTED'; commandId: string; acceptedAt: Date }
  | { outcome: 'KEY_USED' | 'CATALOG_CHANGED' };

const COMMAND_COLUMNS = `, idempotency_key text, vendor text, device_id text, command_type text, revision int,
  payload json, payload_sha256 text, timeout_seconds int, request_id text, command_id_tail text`;

/**
 * The part of a statement that stores commands and an outbox row for each. Of several commands with the same key one is
 * stored. The other ones get KEY_USED, and their callers read the stored command in a second statement, whose snapshot
 * shows it.
 * In: `given`, a row for each command with `position`, `tenant_id`, `client_id` and COMMAND_COLUMNS.
 * Out: `accepted`, a row for each command whose vendor, type and schema still match the catalog, with `position` and
 * `accepted_ms`. Its `command_id` is null if the key is used.
 */
const ACCEPTING = `
  timed as (
    select given.*, now()::timestamptz(3) as accepted_at,
      (stamp || command_id_tail)::uuid as command_id
    from given, ${ID_TIME} as stamp
  ), current as (
    select timed.* from timed
    join lateral (select from vendors where vendors.vendor = timed.vendor and vendors.enabled offset 0) as vendor on true
    join lateral (
      select from tenants
      where tenants.tenant_id = timed.tenant_id and (tenants.vendors is null or timed.vendor = any (tenants.vendors))
      offset 0
    ) as tenant on true
    join lateral (
      select from command_types
      where command_types.vendor = timed.vendor and command_types.command_type = timed.command_type
        and command_types.enabled and command_types.revision = timed.revision offset 0
    ) as command_type on true
  ), inserted as (
    insert into commands (
      tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload, payload_sha256,
      timeout_seconds, status, adapter_status, device_execution_status, accepted_at, deadline_at, updated_at,
      created_by_client_id, request_id
    )
    select tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
      decode(payload_sha256, 'hex'), timeout_seconds, 'ACCEPTED', 'PENDING', 'NOT_STARTED', accepted_at,
      accepted_at + make_interval(secs => timeout_seconds), accepted_at, client_id, request_id
    from current
    order by tenant_id, idempotency_key, position
    on conflict (tenant_id, idempotency_key) do nothing
    returning tenant_id, command_id
  ), queued as (
    insert into outbox (tenant_id, fact_id, kind)
    select tenant_id, command_id, 'COMMAND_ACCEPTED' from inserted
  ), accepted as (
    select current.position, inserted.command_id, floor(extract(epoch from current.accepted_at) * 1000)::text as accepted_ms
    from current left join inserted using (tenant_id, command_id)
  )`;

const ACCEPTANCE = 'accepted.position is not null as is_current, accepted.command_id, accepted.accepted_ms';

const ACCEPT = `
  with given as (
    select * from json_to_recordset($1::text::json) as given (
      position int, tenant_id text, client_id text${COMMAND_COLUMNS}
    )
  ), ${ACCEPTING}
  select ${ACCEPTANCE} from given left join accepted using (position) order by position`;

/** The statement of most requests. server/drizzle/admit-and-accept.sql shows it in a form that psql accepts. */
export const ADMIT_AND_ACCEPT = `
  with ${admitting(COMMAND_COLUMNS)}, given as (
    select * from admitted where is_live and is_in_clock_window and is_fresh and is_granted
  ), ${ACCEPTING}
  select ${VERDICT}, ${ACCEPTANCE} from admitted left join accepted using (position) order by position`;

/** For a command that is not stored: whether its key is used. */
const ADMIT_AND_FIND_KEY = `
  with ${admitting(', idempotency_key text')}
  select ${VERDICT}, exists (
    select from commands
    where commands.tenant_id = admitted.tenant_id and commands.idempotency_key = admitted.idempotency_key
    offset 0
  ) as is_key_used
  from admitted order by position`;

type AcceptanceRow = { is_current: boolean; command_id: string | null; accepted_ms: string };

const toAcceptance = ({ is_current, command_id, accepted_ms }: AcceptanceRow): Acceptance =>
  command_id === null
    ? { outcome: is_current ? 'KEY_USED' : 'CATALOG_CHANGED' }
    : { outcome: 'ACCEPTED', commandId: command_id, acceptedAt: new Date(Number(accepted_ms)) };

type Caller = { tenantId: string; clientId: string };

/** Stores the command of an admitted request. All waiting commands share one statement. */
export const createCommandAccepter = (database: Database) =>
  batched<{ caller: Caller; command: NewCommand }, Acceptance>(
    ({ caller, command }) => `${caller.tenantId} ${command.idempotency_key}`,
    async (given) => {
      const rows = given.map(({ caller, command }, position) => ({
        position,
        tenant_id: caller.tenantId,
        client_id: caller.clientId,
        ...command,
      }));
      return (await asIngest<AcceptanceRow>(database, ACCEPT, rows)).map(toAcceptance);
    },
  );

/**
 * Admits a request and, if it is admitted, stores its command, in one statement. Every statement writes nonces before
 * commands, each in the order of its key, so that two statements never deadlock.
 */
export const createCommandAdmission = (database: Database) =>
  batched<{ signed: SignedRequest; command: NewCommand }, { verdict: Verdict; acceptance: Acceptance }>(
    ({ signed }) => nonceKey(signed),
    async (brought) => {
      const rows = brought.map(({ signed, command }, position) => ({
        ...toRequestRow(signed, position),
        ...command,
      }));
      const judged = await asIngest<VerdictRow & AcceptanceRow>(database, ADMIT_AND_ACCEPT, rows);
      return judged.map((row) => ({ verdict: toVerdict(row), acceptance: toAcceptance(row) }));
    },
  );

/** Admits a request whose command is not to be stored, and says in the same statement whether its key is used. */
export const createKeyAdmission = (database: Database) =>
  batched<{ signed: SignedRequest; idempotencyKey: string }, { verdict: Verdict; isKeyUsed: boolean }>(
    ({ signed }) => nonceKey(signed),
    async (brought) => {
      const rows = brought.map(({ signed, idempotencyKey }, position) => ({
        ...toRequestRow(signed, position),
        idempotency_key: idempotencyKey,
      }));
      const judged = await asIngest<VerdictRow & { is_key_used: boolean }>(database, ADMIT_AND_FIND_KEY, rows);
      return judged.map((row) => ({ verdict: toVerdict(row), isKeyUsed: row.is_key_used }));
    },
  );
