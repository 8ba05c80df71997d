import type { Config } from '../config.js';
import { openDatabase } from '../foundation/database/database.js';
import { asAllTenants } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';

const declared = statement(
  'operator: declare a restore',
  () => fixedSql`select from begin_generation_v1('OPERATOR', null)`,
);

const begun = statement(
  'operator: the generation that has begun',
  () => fixedSql`
    select began_at as "beganAt",
      (select count(*)::int from commands where completed_at is null and is_copied) as open
    from database_generations where shared_until is null`,
);

/** `declare-restored`: begins a new generation of the database, and returns the line to print. */
export async function declareRestored(config: Config): Promise<string> {
  const database = await openDatabase(config);
  try {
    type Begun = { beganAt: string; open: number };
    const [row] = await asAllTenants(database, (tx) => tx.execute<Begun>(begun()), declared());
    if (!row) throw new Error('The statement returned no row.');
    const beganAt = new Date(row.beganAt).toISOString();
    return `The database counts as restored. Requests that were signed before ${beganAt} are refused. ${row.open} open commands of the copy are not sent again.`;
  } finally {
    await database.close();
  }
}
