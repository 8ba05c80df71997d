import type { Config } from '../config.js';
import { openDatabase } from '../foundation/database/database.js';
import { asAllTenants } from '../foundation/database/row-level-security.js';
import { sql, statement } from '../foundation/database/statement.js';

const declared = statement('operator: declare a restore', () => sql`select from look_at_generation_v2('OPERATOR')`);

const begun = statement(
  'operator: the generation that has begun',
  () => sql`
    select began_at as "beganAt",
      (select count(*)::int from commands where completed_at is null and accepted_at <= copied_until) as open
    from database_generations order by generation desc limit 1`,
);

/** `declare-restored`: begins a new generation of the database, and returns the line to print. */
export async function declareRestored(config: Config): Promise<string> {
  const database = await openDatabase(config);
  try {
    const [row] = await asAllTenants(database, async (tx) => {
      await tx.execute(declared());
      return tx.execute<{ beganAt: string; open: number }>(begun());
    });
    if (!row) throw new Error('The statement returned no row.');
    const beganAt = new Date(row.beganAt).toISOString();
    return `The database counts as restored. Requests that were signed before ${beganAt} are refused. ${row.open} open commands of the copy are not sent again.`;
  } finally {
    await database.close();
  }
}
