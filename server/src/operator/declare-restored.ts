import type { Config } from '../config.js';
import { onMigratingConnection, openDatabase } from '../foundation/database/database.js';
import { beginGeneration } from '../foundation/database/generation.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';

const begun = statement(
  'operator: the generation that has begun',
  () => fixedSql`
    select began_at as "beganAt",
      (select count(*)::int from commands where completed_at is null and is_copied and deadline_at >= swept_until) as open
    from database_generations, (select min(swept_until) as swept_until from slots) as mark where shared_until is null`,
);

/** `declare-restored`: begins a new generation of the database, and returns the line to print. */
export async function declareRestored(config: Config): Promise<string> {
  const database = await openDatabase(config);
  try {
    type Begun = { beganAt: string; open: number };
    const { DATABASE_URL: url } = config;
    const begin = async (sql = database.sql) => void (await beginGeneration(sql, 'OPERATOR'));
    await (url ? onMigratingConnection(url, begin) : begin());
    const [row] = await asAllTenantsStatement<Begun>(database, begun());
    if (!row) throw new Error('The statement returned no row.');
    const beganAt = new Date(row.beganAt).toISOString();
    return `The database counts as restored. Requests that were signed before ${beganAt} are refused. ${row.open} open commands of the copy are not sent again.`;
  } finally {
    await database.close();
  }
}
