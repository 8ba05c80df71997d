import type postgres from 'postgres';

/** A history of the database: see `databaseGenerations` in tables.ts. */
export type Generation = { id: string; beganAt: Date };

type Row = { id: string; began_at: Date };

/**
 * The open commands of a copy are marked in one statement, which has no limit: a million takes 2 to 9 s. If the driver
 * gives up, Postgres still ends and commits it: it sends nothing before. Whoever waits for the same lock gives up
 * before the driver does, so such connections do not pile up.
 */
const WITHOUT_LIMIT = `set local role top_system; set local statement_timeout = 0;
  set local client_connection_check_interval = 0; set local lock_timeout = '10s'`;

/**
 * One transaction: Postgres makes one of statements that are sent together. A standby gives no transaction id, so it
 * refuses this with 25006, and the connection is not used: it would outlive the promotion without another look.
 */
const LOOK = `${WITHOUT_LIMIT}; select id, began_at, pg_current_xact_id() from look_at_generation_v1()`;

/** Begins a generation, unless another one has begun since `known`. */
export const beginGeneration = (sql: postgres.Sql, cause: string, known = ''): Promise<unknown> =>
  sql.unsafe(`${WITHOUT_LIMIT}; select from begin_generation_v1('${cause}', nullif('${known}', '')::uuid)`);

/**
 * The generation that this process has seen last. Each connection looks before its first statement, because a restored
 * copy and a promoted standby are reached over new connections only. So nothing is looked at for a request.
 */
export function watchGenerations() {
  let current: Generation = { id: '', beganAt: new Date(0) };
  const memories: (() => void)[] = [];

  function saw(results: Row[][]): void {
    const [row] = results.at(-1) ?? [];
    if (!row || row.id === current.id) return;
    current = { id: row.id, beganAt: new Date(row.began_at) };
    for (const forget of memories) forget();
  }

  return {
    current: () => current,
    /** For what a process remembers of the database and does not compare with it again. */
    onNew: (forget: () => void) => void memories.push(forget),
    /** Options of the driver: the patch of the repository knows `on_connect`. */
    options: { on_connect: { text: LOOK, done: saw } },
    /** For a generation that began without a new connection: somebody has said so. */
    look: async (sql: postgres.Sql): Promise<void> => saw((await sql.unsafe(LOOK)) as unknown as Row[][]),
  };
}

type Watch = ReturnType<typeof watchGenerations>;

export type Generations = Pick<Watch, 'current' | 'onNew'> & {
  look(): Promise<void>;
  begin(cause: string, known?: string): Promise<unknown>;
};
