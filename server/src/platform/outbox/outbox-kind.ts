import type { Message } from '../bus/bus.js';
import type { Transaction } from '../database/database.js';

export type OutboxRow = { tenant_id: string; is_logged: boolean; position: string; kind: string; fact_id: string };

/** What the relay does with the rows of one kind. A feature implements it for its facts. */
export type OutboxKind = {
  kind: string;
  /**
   * Writes what must be committed before the messages leave. It answers a message for each row, in the order of the
   * rows, or null where nothing is to be sent: the relay then deletes the row.
   */
  prepare(tx: Transaction, rows: readonly OutboxRow[]): Promise<{ messages: (Message | null)[]; topics: string[] }>;
  /** Writes what must not wait while the bus is away, and answers the topics to signal. */
  prepareWithoutBus?(tx: Transaction, rows: readonly OutboxRow[]): Promise<string[]>;
  /** The bus can never take this message, for example because it is too large. */
  refused?(row: OutboxRow, reason: string): Promise<void>;
};

/** The event log as the relay publishes it: messages with a greater number, in the order of the log. */
export type EventLog = {
  read(after: string, limit: number): Promise<{ seq: string; message: Message }[]>;
};
