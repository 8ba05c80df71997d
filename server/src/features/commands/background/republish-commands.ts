import { sql } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import type { Republishable } from '../../../platform/outbox/republish.js';
import { readUnderWay } from './command-outbox.js';

const PAGE = 256;

type Key = { tenant_id: string; fact_id: string; deadline_at: string };

/** The open commands that were dispatched in the range, the most urgent first. */
export const republishCommands = (database: Database): Republishable =>
  async function* pages({ since, until, tenantId }) {
    let last: Key = { deadline_at: until, tenant_id: '', fact_id: '00000000-0000-0000-0000-000000000000' };
    for (;;) {
      const { keys, messages } = await asAllTenants(database, async (tx) => {
        const keys = await tx.execute<Key>(sql`
          select tenant_id, command_id as fact_id, deadline_at::text from commands
          where completed_at is null
            and (deadline_at, tenant_id, command_id) > (${last.deadline_at}::timestamptz, ${last.tenant_id}, ${last.fact_id}::uuid)
            and dispatched_at between ${since}::timestamptz and ${until}::timestamptz
            ${tenantId === undefined ? sql`` : sql`and tenant_id = ${tenantId}`}
          order by commands.deadline_at, tenant_id, command_id
          limit ${PAGE}`);
        return { keys, messages: await readUnderWay(tx, keys, sql`now()`) };
      });
      const next = keys.at(-1);
      if (!next) return;
      // In the order of the keys.
      const inOrder = keys.flatMap(({ tenant_id, fact_id }) => messages.get(`${tenant_id} ${fact_id}`) ?? []);
      yield { messages: inOrder, resumeFrom: since };
      last = next;
    }
  };
