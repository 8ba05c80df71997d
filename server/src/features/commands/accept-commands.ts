import {
  nonceKey,
  type SignedRequest,
  toRequestRow,
  toVerdict,
  type Verdict,
  type VerdictRow,
} from '../../platform/auth/admission.js';
import type { Database } from '../../platform/database/database.js';
import { asIngest } from '../../platform/database/roles.js';
import type { Call } from '../../platform/operation/call.js';
import { batched, repeatedly } from '../../platform/waiting/batched.js';

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
  traceparent?: string | undefined;
  /** The part of its UUID v7 after the time. */
  command_id_tail: string;
};

/** A command that is not stored: the outcome tells only whether its key is used. */
export type RefusedCommand = { idempotency_key: string; is_refused: true };

type Sent = NewCommand | RefusedCommand;

/** The outcomes are those of admit_requests_v1 (server/drizzle). */
export type Acceptance =
  | { outcome: 'ACCEPTED'; commandId: string; acceptedAt: Date }
  | { outcome: 'KEY_USED' | 'REFUSED' | 'VENDOR_NOT_ENABLED' | 'CATALOG_CHANGED' };

type AcceptanceRow = { outcome: Acceptance['outcome']; command_id: string; accepted_ms: number };

const toAcceptance = ({ outcome, command_id, accepted_ms }: AcceptanceRow): Acceptance =>
  outcome === 'ACCEPTED' ? { outcome, commandId: command_id, acceptedAt: new Date(accepted_ms) } : { outcome };

type Caller = Call['caller'];

/** Stores the command of an admitted request. All waiting commands share one statement. */
export const createCommandAccepter = (database: Database) =>
  batched<{ caller: Caller; command: Sent }, Acceptance>(
    ({ caller, command }) => `${caller.tenantId} ${command.idempotency_key}`,
    async (given) => {
      const rows = given.map(({ caller, command }, position) => toRow(caller, command, position));
      return (await asIngest<AcceptanceRow>(database, rows, true)).map(toAcceptance);
    },
  );

/** Stores the commands of one admitted request in one statement. Of several commands with one key the first is stored. */
export async function acceptBatch(database: Database, caller: Caller, batchId: string, commands: readonly Sent[]) {
  if (commands.length === 0) return [];
  const rows = commands.map((command, position) => ({ ...toRow(caller, command, position), batch_id: batchId }));
  const accepted = await repeatedly(() => asIngest<AcceptanceRow>(database, rows, true));
  return accepted.map(toAcceptance);
}

const toRow = ({ tenantId, clientId }: Caller, command: Sent, position: number) => ({
  position,
  tenant_id: tenantId,
  client_id: clientId,
  ...command,
});

type Admitted = { verdict: Verdict; acceptance: Acceptance | null };

/** Admits a request and, if it is admitted, stores its command, in one statement. */
export const createCommandAdmission = (database: Database) =>
  batched<{ signed: SignedRequest; command: Sent }, Admitted>(
    ({ signed }) => nonceKey(signed),
    async (brought) => {
      const rows = brought.map(({ signed, command }, position) => ({
        ...toRequestRow(signed, position),
        ...command,
      }));
      type Row = VerdictRow & (AcceptanceRow | { outcome: null });
      const judged = await asIngest<Row>(database, rows);
      return judged.map((row) => ({
        verdict: toVerdict(row),
        acceptance: row.outcome === null ? null : toAcceptance(row),
      }));
    },
  );
