import type { Message } from '../bus/bus.js';
import type { Transaction } from '../database/database.js';

export type OutboxRow = { tenant_id: string; is_logged: boolean; position: string; kind: string; fact_id: string };

/** How the relay handles rows of one kind. A feature implements it for its facts. */
export type OutboxKind = {
  kind: string;
  /**
   * Writes the changes that must be committed before the messages leave. Returns a message for each row, in the order
   * of the rows, or null if nothing is to be sent: the relay then deletes the row.
   */
  prepare(tx: Transaction, rows: readonly OutboxRow[]): Promise<{ messages: (Message | null)[]; topics: string[] }>;
  /** Writes the changes that must not wait while the bus is away. Returns the topics to signal. */
  prepareWithoutBus?(tx: Transaction, rows: readonly OutboxRow[]): Promise<string[]>;
  /** Called when the bus can never accept this message, for example because it is too large. */
  refused?(row: OutboxRow, reason: string): Promise<void>;
};

/**
 * The event log for the relay. `read` looks at the next events, at most `limit`, and returns null if there are none. `last`
 * is the number of the last one. `messages` are in the order of the log, without events that nobody may read on the bus.
 */
export type EventLog = {
  read(after: string, limit: number): Promise<{ last: string; isFull: boolean; messages: Message[] } | null>;
};
