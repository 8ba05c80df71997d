import { type CommandMessage, subjects } from '@tenant-open-platform/contract/bus';
import { type SQL, sql } from 'drizzle-orm';
import type { Message } from '../../../platform/bus/bus.js';
import type { Database, Transaction } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import type { Now } from '../../../platform/database/steady-clock.js';
import { logEvents } from '../../../platform/outbox/log-events.js';
import type { OutboxKind } from '../../../platform/outbox/outbox-kind.js';
import type { Republishable } from '../../../platform/outbox/republish.js';
import { type Signals, topics } from '../../../platform/signals/signals.js';
import type { Metrics } from '../../../platform/telemetry/metrics.js';
import { announce, type Move, moveCommands, nextInstant } from '../move-commands.js';
import { dispatch, INITIAL, refuse, type State } from '../transitions.js';
import { keyOf, lockCommands, lockedCommands } from './lock-commands.js';

type Fact = { tenant_id: string; fact_id: string };

type Services = { database: Database; signals: Signals; metrics: Metrics; now: Now };

/** The outbox rows of accepted commands. */
export const commandOutbox = ({ database, signals, metrics, now }: Services): OutboxKind => ({
  kind: 'COMMAND_ACCEPTED',
  async prepare(tx, rows) {
    // In one round trip. The dispatch is sent first: the log is locked after the commands.
    const [dispatched] = await Promise.all([
      dispatchCommands(tx, rows, now()),
      logEvents(tx, rows.map(toAcceptedEvent)),
    ]);
    return {
      messages: rows.map((row) => dispatched.get(keyOfFact(row)) ?? null),
      topics: [
        ...rows.flatMap((row) => (dispatched.has(keyOfFact(row)) ? topics.command(row.tenant_id, row.fact_id) : [])),
        ...topicsOfEvents(rows),
      ],
    };
  },
  async prepareWithoutBus(tx, rows) {
    await logEvents(tx, rows.map(toAcceptedEvent));
    return topicsOfEvents(rows);
  },
  async refused({ tenant_id, fact_id }, reason) {
    const moves = await asAllTenants(database, (tx) => endRefused(tx, { tenant_id, command_id: fact_id }, reason));
    announce({ signals, metrics }, moves);
  },
});

const toAcceptedEvent = ({ tenant_id, fact_id }: Fact) => ({
  tenant_id,
  command_id: fact_id,
  event_type: 'command.accepted' as const,
});

const topicsOfEvents = (rows: readonly Fact[]) =>
  rows.length === 0 ? [] : [...new Set(rows.map(({ tenant_id }) => topics.events(tenant_id))), topics.eventLog];

const keyOfFact = ({ tenant_id, fact_id }: Fact) => `${tenant_id} ${fact_id}`;

/**
 * Dispatches accepted commands to their adapters. They become DISPATCHED before anything is published, so EXPIRED and
 * CANCELED mean never published. A command that is already DISPATCHED was taken earlier by this or another leader: it
 * is sent again under the same id. A command that has ended or is past its deadline is not sent.
 */
async function dispatchCommands(tx: Transaction, facts: readonly Fact[], now: SQL): Promise<Map<string, Message>> {
  const after = dispatch(INITIAL);
  if (!after) throw new Error('A new command cannot be dispatched.');
  const { status, adapterStatus } = after;
  const dispatched = await tx.execute<Row>(sql`
    update commands set
      status = ${status}, adapter_status = ${adapterStatus}, dispatched_at = ${nextInstant}, updated_at = ${nextInstant}
    from ${given(facts)}
    where commands.tenant_id = given.tenant_id and commands.command_id = given.command_id
      and ${isBeforeDeadline(INITIAL.status, now)}
    returning ${MESSAGE_COLUMNS}`);
  const messages = toMessages(dispatched);
  const others = facts.filter((fact) => !messages.has(keyOfFact(fact)));
  return others.length === 0 ? messages : new Map([...messages, ...(await readUnderWay(tx, others, now))]);
}

/** The messages of the commands that are DISPATCHED and not past their deadline. */
const readUnderWay = async (tx: Transaction, facts: readonly Fact[], now: SQL): Promise<Map<string, Message>> =>
  toMessages(
    await tx.execute<Row>(sql`
      select ${MESSAGE_COLUMNS} from ${given(facts)} join commands using (tenant_id, command_id)
      where ${isBeforeDeadline('DISPATCHED', now)}`),
  );

/**
 * Whether a command has this status and its deadline lies ahead. The `case` keeps the planner away from
 * commands_by_deadline. It believes that no deadline lies ahead if its statistics are older than the timeouts, and would
 * then read every command under way for each batch.
 */
const isBeforeDeadline = (status: State['status'], now: SQL) =>
  sql`case when commands.status = ${status} then commands.deadline_at > ${now} end`;

/**
 * Sorted by key: the update locks commands in this order, as reports do, so that two transactions never deadlock. A
 * locking statement before the update would write one more WAL record for each command.
 */
const given = (facts: readonly Fact[]) =>
  sql`(
    select tenant_id, fact_id as command_id from json_to_recordset(
      ${JSON.stringify(facts.map(({ tenant_id, fact_id }) => ({ tenant_id, fact_id })))}::text::json
    ) as given (tenant_id text, fact_id uuid)
    order by tenant_id, fact_id
  ) as given`;

const MESSAGE_COLUMNS = sql.raw(
  'tenant_id command_id vendor device_id command_type payload accepted_at deadline_at traceparent'
    .split(' ')
    .map((column) => `commands.${column}`)
    .join(', '),
);

/** The message, with instants as Postgres writes them. */
type Row = CommandMessage & { traceparent: string | null };

const toMessages = (rows: readonly Row[]) =>
  new Map(rows.map((row) => [keyOfFact({ ...row, fact_id: row.command_id }), toMessage(row)]));

function toMessage({ traceparent, ...row }: Row): Message {
  const body: CommandMessage = {
    ...row,
    accepted_at: new Date(row.accepted_at).toISOString(),
    deadline_at: new Date(row.deadline_at).toISOString(),
  };
  return {
    subject: subjects.command(row.tenant_id, row.vendor),
    id: `command:${row.command_id}`,
    body: Buffer.from(JSON.stringify(body)),
    traceparent: traceparent ?? undefined,
  };
}

/** The bus can never carry the command. It ends now, so its caller need not wait for the deadline. */
async function endRefused(
  tx: Transaction,
  key: { tenant_id: string; command_id: string },
  reason: string,
): Promise<Move[]> {
  const command = lockedCommands(await tx.execute(lockCommands([key]))).get(keyOf(key));
  const after = command && refuse(command.state);
  if (!command || !after) return [];
  const move: Move = {
    tenantId: key.tenant_id,
    commandId: key.command_id,
    vendor: command.vendor,
    before: command.state,
    after,
    source: 'PLATFORM',
    reason: { code: 'BUS_REFUSED', message: `The bus refuses the command: ${reason}.`.slice(0, 1_024) },
  };
  await moveCommands(tx, [move]);
  return [move];
}

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
