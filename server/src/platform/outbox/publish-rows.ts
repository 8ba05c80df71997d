import type { Bus, Message, Refusal } from '../bus/bus.js';
import { parkMessage } from '../bus/parked-messages.js';
import type { Database } from '../database/database.js';

export type OutboxRow = { tenant_id: string; fact_id: string; kind: string };

/**
 * Commits what must be so before publishing, and answers for each row, in their order, the messages that it stands for:
 * none where it is of a kind that another function knows.
 */
export type MessagesByRow = (rows: readonly OutboxRow[]) => Promise<Message[][]>;

export type Outlet = { database: Database; bus: Bus; messagesByRow: readonly MessagesByRow[] };

/** Publishes what rows stand for. What the bus refuses for good is parked: nothing waits behind it. */
export async function publishRows(
  { database, bus, messagesByRow }: Outlet,
  rows: readonly OutboxRow[],
): Promise<{ messages: number; refusals: Refusal[] }> {
  const known = await Promise.all(messagesByRow.map((messages) => messages(rows)));
  const messages = rows.flatMap((_row, index) => known.flatMap((byRow) => byRow[index] ?? []));
  const refusals = await bus.publish(messages);
  for (const { message, reason } of refusals) await parkMessage(database, message, `The bus refuses it: ${reason}.`);
  return { messages: messages.length - refusals.length, refusals };
}
