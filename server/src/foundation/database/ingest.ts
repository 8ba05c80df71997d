import type { Database } from './database.js';

/** A checked command, as a column list of admit_requests_v1. Tenant and creator come from its request, the time from the database. */
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

export type GivenCommand = NewCommand | RefusedCommand;

/** What became of a command. The outcomes are explained in server/drizzle/0004_admit_requests_v1.sql. */
export type CommandOutcome =
  | { outcome: 'ACCEPTED'; command_id: string; accepted_ms: number }
  | { outcome: 'KEY_USED' | 'REFUSED' | 'VENDOR_NOT_ENABLED' | 'CATALOG_CHANGED' };

/**
 * Admits requests of several tenants and stores the commands that they bring, or with `areAdmitted` only stores the
 * commands. The function of server/drizzle has the rights of its owner, top_ingest, which reads no secret.
 */
export const asIngest = <Row extends object>({ sql }: Database, requests: readonly object[], areAdmitted = false) =>
  sql<Row[]>`select * from admission.admit_requests_v1(${JSON.stringify(requests)}, ${areAdmitted})`;
