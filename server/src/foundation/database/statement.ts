import { type SQL, sql } from 'drizzle-orm';

type Value = string | number | boolean | Uint8Array | null;

/** As drizzle's `sql`, for a statement in one piece. Only values are filled in, so a reader can run it in psql. */
export const fixedSql: (text: TemplateStringsArray, ...values: Value[]) => SQL = sql;

/** The names of the statements in all modules that are loaded. A test explains each of them. */
export const statementNames = new Set<string>();

/** A statement of the pipeline. The name stands before its text, so logs and pg_stat_activity show it. */
export function statement<Parameters extends readonly unknown[]>(
  name: string,
  textOf: (...parameters: Parameters) => SQL,
): (...parameters: Parameters) => SQL {
  statementNames.add(name);
  const comment = sql.raw(`/* ${name} */`);
  return (...parameters) => sql.join([comment, textOf(...parameters)]);
}
