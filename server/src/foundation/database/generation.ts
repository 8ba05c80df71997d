import type postgres from 'postgres';

/** A history of the database: see `databaseGenerations` in tables.ts. */
export type Generation = { id: string; beganAt: Date };

type Row = { id: string; began_at: Date };

/**
 * One transaction: Postgres makes one of statements that are sent together. A standby gives no transaction id, so it
 * refuses this with 25006, and the connection is not used: it would outlive the promotion without another look.
 */
const LOOK = 'set local role top_system; select id, began_at, pg_current_xact_id() from look_at_generation_v1()';

/**
 * The generation that this process has seen last. Each connection looks before its first statement, because a restored
 * copy and a promoted standby are reached over new connections only. So nothing is looked at for a request.
 */
export function watchGenerations() {
  let current: Generation = { id: '', beganAt: new Date(0) };
  const memories: (() => void)[] = [];

  function saw([, rows]: Row[][]): void {
    const [row] = rows ?? [];
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

export type Generations = Pick<Watch, 'current' | 'onNew'> & { look(): Promise<void> };
