import type { Logger } from 'pino';
import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { boundedLog, ONCE_A_MINUTE } from '../foundation/telemetry/logger.js';
import type { Bus } from './bus/bus.js';
import { readWitness, type Witness } from './bus/witness-text.js';

export type Judgement = {
  /** Whether the database is an older copy of what the bus has seen. */
  wentBack: boolean;
  /** Generations that the database has never had, and what they share with it. Their cursors are still around. */
  lost: { id: string; shared_until: number }[];
};

/** `own`: of the database. A bus of another database, or one that went back itself, says nothing. */
export function judge(own: Witness, ofBus: Witness): Judgement {
  if (ofBus.id === own.id) return { wentBack: ofBus.number > own.number, lost: [] };
  const shared = new Map(own.generations.map(({ id, shared_until }) => [id, shared_until ?? Number.POSITIVE_INFINITY]));
  const common = ofBus.generations.flatMap(({ id, shared_until }) => {
    const here = shared.get(id);
    return here === undefined ? [] : [Math.min(here, shared_until ?? Number.POSITIVE_INFINITY)];
  });
  if (common.length === 0 || shared.has(ofBus.id)) return { wentBack: false, lost: [] };
  const furthest = Math.max(...common);
  return {
    wentBack: ofBus.generations.some(({ id }) => id === own.id),
    lost: ofBus.generations
      .filter(({ id }) => !shared.has(id))
      .map(({ id, shared_until }) => ({ id, shared_until: Math.min(furthest, shared_until ?? furthest) })),
  };
}

const ownWitness = statement(
  'witness: of the database',
  () => fixedSql`
    select id, number::float8 as number, (
      select json_agg(json_build_object('id', id, 'shared_until', shared_until)) from database_generations
    ) as generations
    from database_generations where shared_until is null`,
);

const learn = statement(
  'witness: lost generations',
  (lost: string) => fixedSql`
    insert into database_generations (id, began_at, cause, shared_until)
    select id, now(), 'LOST', shared_until
    from json_to_recordset(${lost}::text::json) as lost (id uuid, shared_until bigint)
    on conflict (id) do nothing`,
);

type Options = { database: Database; bus: Pick<Bus, 'witness'>; logger: Logger };

/**
 * Each call compares the database with the bus, and begins a generation if it went back. Of all who notice it, one begins
 * it; the others learn of it by a signal. It returns whether it has compared: the bus may be away. It throws if the
 * database fails: no command may be sent while those of a copy are not marked.
 */
export function compareWithBus({ database, bus, logger }: Options) {
  const log = boundedLog(logger, ONCE_A_MINUTE);

  async function compareWith(ofBus: Witness | null): Promise<void> {
    if (!ofBus) return;
    const [own] = await asAllTenantsStatement<Witness>(database, ownWitness());
    if (!own) throw new Error('The database has no generation.');
    const { wentBack, lost } = judge(own, ofBus);
    if (lost.length > 0) await asAllTenantsStatement(database, learn(JSON.stringify(lost)));
    if (!wentBack) return;
    await database.generations.begin('WITNESS', own.id);
    await database.generations.look();
  }

  return async (): Promise<boolean> => {
    let text: string | null;
    try {
      text = await bus.witness.read();
    } catch (err) {
      log('warn', 'compare', { err }, 'the database was not compared with the bus');
      return false;
    }
    await compareWith(readWitness(text ?? ''));
    return true;
  };
}

/** Hands the witness to the bus, one at a time. Nobody waits for a bus that is away: the next renewal brings another. */
export function createWitnessWriter(bus: Pick<Bus, 'witness'>) {
  let isWriting = false;
  return (witness: Witness): void => {
    if (isWriting) return;
    isWriting = true;
    void bus.witness
      .write(JSON.stringify(witness))
      .catch(() => {})
      .finally(() => {
        isWriting = false;
      });
  };
}
