import { nonceKey, type SignedRequest, toRequestRow, type Verdict } from '../../platform/auth/admission.js';
import type { Database } from '../../platform/database/database.js';
import { asIngest } from '../../platform/database/roles.js';
import type { Call } from '../../platform/operation/call.js';
import { batched } from '../../platform/waiting/batched.js';

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

/** `batchId`: of the request, if it stores several commands. */
type Given = { caller: Call['caller']; command: Sent; batchId?: string };

/** Stores commands of admitted requests in one statement. Of several commands with one key the first is stored. */
export async function acceptCommands(database: Database, given: readonly Given[]): Promise<Acceptance[]> {
  const rows = given.map(({ caller, command, batchId }, position) => ({
    position,
    tenant_id: caller.tenantId,
    client_id: caller.clientId,
    ...command,
    batch_id: batchId,
  }));
  return (await asIngest<AcceptanceRow>(database, rows, true)).map(toAcceptance);
}

/** Stores the command of an admitted request. All waiting commands share one statement. */
export const createCommandAccepter = (database: Database) =>
  batched<Given, Acceptance>(
    ({ caller, command }) => `${caller.tenantId} ${command.idempotency_key}`,
    (given) => acceptCommands(database, given),
  );

type Admitted = { verdict: Verdict; acceptance: Acceptance | null };

/** Admits a request and, if it is admitted, stores its command, in one statement. */
export const createCommandAdmission = (database: Database) =>
  batched<{ signed: SignedRequest; command: Sent }, Admitted>(
    ({ signed }) => nonceKey(signed),
    async (brought) => {
      const rows = brought.map(({ signed, command }, position) =>
        Object.assign(toRequestRow(signed, position), command),
      );
      const judged = await asIngest<Verdict & (AcceptanceRow | { outcome: null })>(database, rows);
      return judged.map((row) => ({ verdict: row, acceptance: row.outcome === null ? null : toAcceptance(row) }));
    },
  );
