import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';
import { newId } from '../new-id.js';

const KEPT_BYTES = 4_096;

/** Keeps a message that cannot be taken, by the platform or by the bus, for people to look at. */
export const parkMessage = (
  database: Database,
  { subject, body }: { subject: string; body: Buffer },
  reason: string,
): Promise<unknown> =>
  asSystem(
    database,
    (sql) => sql`
      insert into parked_messages (parked_message_id, subject, reason, body)
      values (${newId()}, ${printable(subject)}, ${reason}, ${body.subarray(0, KEPT_BYTES)})`,
  );

/** Postgres takes no NUL in a text: a message that cannot even be parked would come again for ever. */
const printable = (subject: string) => subject.slice(0, 512).replace(/[^\x20-\x7E]/g, '?');

const BATCH = 1_000;

/** Deletes some of what was parked 30 days ago, and answers whether there may be more. */
export async function purgeParkedMessages(database: Database): Promise<boolean> {
  const deleted = await asSystem(
    database,
    (sql) => sql`
      delete from parked_messages
      where parked_message_id in (
        select parked_message_id from parked_messages
        where parked_at < now() - interval '30 days' order by parked_at limit ${BATCH}
      )
      returning 1`,
  );
  return deleted.length === BATCH;
}
