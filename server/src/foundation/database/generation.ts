/** A history of the database: see `databaseGenerations` in tables.ts. */
export type Generation = { id: number; beganAt: Date };

type Row = { id: string; began_at: Date };

/** One transaction: Postgres makes one of statements that are sent together. */
const LOOK = 'set local role top_system; select generation as id, began_at from look_at_generation_v1()';

/**
 * The generation that the newest connection has seen. Each connection looks before its first statement, because a restored
 * copy and a promoted standby are reached over new connections only. So nothing is looked at for a request.
 */
export function watchGenerations() {
  let current: Generation = { id: 0, beganAt: new Date(0) };
  const memories: (() => void)[] = [];
  return {
    current: () => current,
    /** For what a process remembers of the database and does not compare with it again. */
    onNew: (forget: () => void) => void memories.push(forget),
    /** Options of the driver: the patch of the repository knows `on_connect`. */
    options: {
      on_connect: {
        text: LOOK,
        done([, rows]: Row[][]): void {
          const [row] = rows ?? [];
          const id = Number(row?.id);
          if (!row || id === current.id) return;
          current = { id, beganAt: new Date(row.began_at) };
          for (const forget of memories) forget();
        },
      },
    },
  };
}

export type Generations = ReturnType<typeof watchGenerations>;
