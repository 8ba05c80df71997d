import { type CommandMessage, subjects } from '@tenant-open-platform/contract/bus';
import type { Database, Transaction } from '../../foundation/database/database.js';
import { pipelined } from '../../foundation/database/pipelined.js';
import { asAllTenants } from '../../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../../foundation/database/statement.js';
import type { Now } from '../../foundation/database/steady-clock.js';
import { type Signals, topics } from '../../foundation/signals/signals.js';
import { slotsOf } from '../../foundation/slots.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { type Message, timedMessage } from '../bus/bus.js';
import { replyMessages } from '../device-requests.js';
import { logEvents } from '../event-log.js';
import type { Owned } from '../slots/steps.js';
import { type Fact, factKey, type OutboxRow, type RepublishedRange } from '../tables.js';
import { dispatch, failUnsent, INITIAL, type State } from '../transitions.js';
import {
  announceTransitions,
  commandKey,
  commandsIn,
  makeTransitions,
  readCommands,
  type Transition,
  untilNotOvertaken,
} from '../write-transitions.js';

type Services = { signals: Signals; metrics: Metrics; now: Now };

export type Dispatch = ReturnType<typeof createDispatch>;

/** What the relay does with the facts behind its rows: it dispatches commands and sends replies. */
export function createDispatch({ signals, metrics, now }: Services) {
  return {
    /**
     * Writes the changes that must be committed before the messages leave. Returns a message for each row, in the order
     * of the rows, or null if nothing is to be sent: the relay then deletes the row.
     */
    async prepare(tx: Transaction, rows: readonly OutboxRow[]) {
      const commands = rows.filter(isCommand);
      const replies = rows.filter((row) => !isCommand(row));
      const sent = replies.length > 0 ? await replyMessages(tx, replies, now()) : new Map<string, Message>();
      if (commands.length > 0) {
        // In this order: the log is locked after the commands.
        const [dispatched] = await pipelined(
          () => dispatchCommands(tx, commands, now()),
          () => logAccepted(tx, commands),
        );
        for (const [key, message] of dispatched) sent.set(key, message);
      }
      const moved = commands.filter((row) => sent.has(factKey(row)));
      const changed = moved.map((row) => topics.command(row.tenant_id, row.fact_id));
      const messages = rows.map((row) => sent.get(factKey(row)) ?? null);
      return { messages, topics: [...changed, ...topicsOfEvents(commands)] };
    },

    /** Writes the changes that must not wait while the bus is away. Returns the topics to signal. */
    async prepareWithoutBus(tx: Transaction, rows: readonly OutboxRow[]): Promise<string[]> {
      const commands = rows.filter(isCommand);
      await logAccepted(tx, commands);
      return topicsOfEvents(commands);
    },

    /** The bus can never carry this message, for example because it is too large. */
    async endUndeliverable(transaction: Owned['transaction'], row: OutboxRow, reason: string): Promise<void> {
      if (!isCommand(row)) return;
      const transitions = await untilNotOvertaken(() => transaction((tx) => failUndeliverable(tx, row, reason)));
      announceTransitions({ signals, metrics }, transitions);
    },
  };
}

const isCommand = ({ kind }: OutboxRow) => kind === 'COMMAND_ACCEPTED';

function logAccepted(tx: Transaction, facts: readonly Fact[]) {
  const event_type = 'command.accepted' as const;
  const accepted = facts.map(({ tenant_id, fact_id }) => ({ tenant_id, command_id: fact_id, event_type }));
  return logEvents(tx, accepted);
}

const topicsOfEvents = (facts: readonly Fact[]) =>
  facts.length === 0
    ? []
    : [...new Set(facts.map(({ tenant_id }) => topics.events(tenant_id))), ...slotsOf(facts).map(topics.eventLog)];

/**
 * Dispatches accepted commands to their adapters. They become DISPATCHED before anything is published, so EXPIRED and
 * CANCELED mean never published. A command that is already DISPATCHED was taken earlier by this or another leader: it
 * is sent again under the same id. A command that has ended or is past its deadline is not sent. A command of a restored
 * copy is not sent either: the history that is lost may have sent it. It waits for a report until its deadline.
 *
 * The deadline counts once the row is locked. If the commit then takes longer, the message says that no time is left.
 */
async function dispatchCommands(tx: Transaction, facts: readonly Fact[], now: string): Promise<Map<string, Message>> {
  const after = dispatch(INITIAL);
  if (!after) throw new Error('A new command cannot be dispatched.');
  const messages = await toMessages(() => tx.execute<Row>(dispatchAccepted({ keys: keysOf(facts), now, after })));
  const others = facts.filter((fact) => !messages.has(factKey(fact)));
  return others.length === 0 ? messages : new Map([...messages, ...(await readUnderWay(tx, others, now))]);
}

/** The messages of the commands that are DISPATCHED and not past their deadline: they may have been sent before. */
const readUnderWay = (tx: Transaction, facts: readonly Fact[], now: string): Promise<Map<string, Message>> =>
  toMessages(() => tx.execute<Row>(underWay(keysOf(facts), now)), true);

const keysOf = (facts: readonly Fact[]) =>
  JSON.stringify(facts.map(({ tenant_id, fact_id }) => ({ tenant_id, command_id: fact_id })));

/**
 * Sorted by key: the update locks commands in this order, as reports do, so that two transactions never deadlock. A
 * locking statement before the update would write one more WAL record for each command.
 *
 * The `case` keeps the planner away from commands_by_deadline. It believes that no deadline lies ahead if its statistics
 * are older than the timeouts, and would then read every command under way for each batch.
 *
 * `now` is of a moment in the transaction, so now() is earlier, however slow the connection is, or the clock is ahead.
 */
const dispatchAccepted = statement(
  'relay: dispatch commands',
  ({ keys, now, after }: { keys: string; now: string; after: State }) => fixedSql`
    update commands set
      status = ${after.status}, adapter_status = ${after.adapter_status},
      dispatched_at = greatest(statement_timestamp(), commands.updated_at + interval '1 millisecond'),
      updated_at = greatest(statement_timestamp(), commands.updated_at + interval '1 millisecond')
    from (
      select tenant_id, command_id
      from json_to_recordset(${keys}::text::json) as given (tenant_id text, command_id uuid)
      order by tenant_id, command_id
    ) as given
    where commands.tenant_id = given.tenant_id and commands.command_id = given.command_id
      and case when commands.status = 'ACCEPTED' then deadline_at > clock_timestamp() - (now() - least(now(), ${now}::timestamptz)) end
    returning commands.tenant_id, commands.command_id, vendor, device_id, command_type, payload, accepted_at,
      deadline_at, traceparent,
      extract(epoch from
        deadline_at - greatest(accepted_at, clock_timestamp() - (now() - least(now(), ${now}::timestamptz))))::float8 * 1000 as left_ms,
      is_copied`,
);

const underWay = statement(
  'relay: commands under way',
  (keys: string, now: string) => fixedSql`
    select tenant_id, command_id, vendor, device_id, command_type, payload, accepted_at, deadline_at,
      traceparent,
      extract(epoch from
        deadline_at - greatest(accepted_at, clock_timestamp() - (now() - least(now(), ${now}::timestamptz))))::float8 * 1000 as left_ms,
      is_copied
    from json_to_recordset(${keys}::text::json) as given (tenant_id text, command_id uuid)
    join commands using (tenant_id, command_id)
    where status = 'DISPATCHED'`,
);

type Untimed = Omit<CommandMessage, 'remaining_ms'>;

/** The message, with instants as Postgres writes them. */
type Row = Untimed & { left_ms: number; is_copied: boolean | null; traceparent: string | null };

async function toMessages(read: () => Promise<readonly Row[]>, isSentAgain = false) {
  const askedAt = performance.now();
  const toSend = (await read()).filter(({ is_copied, left_ms }) => !is_copied && left_ms > 0);
  return new Map(toSend.map((row) => [commandKey(row), toMessage(row, askedAt, isSentAgain)]));
}

function toMessage({ traceparent, is_copied: _, left_ms, ...row }: Row, askedAt: number, isSentAgain: boolean) {
  const command: Untimed = {
    ...row,
    accepted_at: new Date(row.accepted_at).toISOString(),
    deadline_at: new Date(row.deadline_at).toISOString(),
  };
  const [subject, id] = [subjects.command(row.tenant_id, row.vendor), `command:${row.command_id}`];
  return timedMessage({ subject, id, traceparent: traceparent ?? undefined, isSentAgain }, command, askedAt + left_ms);
}

/** The bus can never carry the command. It ends now, so its caller need not wait for the deadline. */
async function failUndeliverable(tx: Transaction, { tenant_id, fact_id }: Fact, reason: string): Promise<Transition[]> {
  const key = { tenant_id, command_id: fact_id };
  const command = commandsIn(await tx.execute(readCommands([key]))).get(commandKey(key));
  const after = command && failUnsent(command.state);
  if (!command || !after) return [];
  const transition: Transition = {
    tenantId: tenant_id,
    commandId: fact_id,
    seenAt: command.seenAt,
    vendor: command.vendor,
    before: command.state,
    after,
    source: 'PLATFORM',
    reason: { code: 'BUS_REFUSED', message: `The bus refuses the command: ${reason}.`.slice(0, 1_024) },
  };
  await makeTransitions(tx, [transition]);
  return [transition];
}

const PAGE = 256;

type Key = { tenant_id: string; fact_id: string; deadline_at: string };

/** With `tenant_id = …` Postgres without statistics would read all commands of the tenant for each page. */
const openCommands = statement(
  'republish: open commands',
  ({ tenantId = null }: { tenantId?: string | null | undefined }, last: Key) => fixedSql`
    select tenant_id, command_id as fact_id, deadline_at::text from commands
    where completed_at is null
      and (deadline_at, tenant_id, command_id) > (${last.deadline_at}::timestamptz, ${last.tenant_id}, ${last.fact_id}::uuid)
      and dispatched_at is not null
      and (${tenantId}::text is null or tenant_id is not distinct from ${tenantId})
    order by commands.deadline_at, tenant_id, command_id
    limit ${PAGE}`,
);

/**
 * The commands under way, the most urgent first, whenever they were dispatched: the clock may have stepped since, they
 * are few, and the bus drops those that it has.
 */
export async function* republishedCommands(database: Database, range: RepublishedRange) {
  let last: Key = { deadline_at: range.until, tenant_id: '', fact_id: '00000000-0000-0000-0000-000000000000' };
  for (;;) {
    const { keys, messages } = await asAllTenants(database, async (tx) => {
      const keys = await tx.execute<Key>(openCommands(range, last));
      return { keys, messages: await readUnderWay(tx, keys, 'infinity') };
    });
    const next = keys.at(-1);
    if (!next) return;
    // In the order of the keys.
    yield { messages: keys.flatMap((key) => messages.get(factKey(key)) ?? []), resumeFrom: range.since };
    last = next;
  }
}
