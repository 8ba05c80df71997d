import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Consumer, type JsMsg, jetstream } from '@nats-io/jetstream';
import { fromSeed } from '@nats-io/nkeys';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { type Command, carryOut, type Outcome } from './devices.js';

// NATS_URL      such as nats://nats.example.com:4222
// NATS_NKEY_SEED_FILE   the private seed of the principal; absent if NATS requires none
// TENANT_ID     the tenant of the principal, whose commands it carries out; `platform` stands for all tenants
// VENDOR        the vendor of the commands
const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID, VENDOR } = process.env;
if (!TENANT_ID || !VENDOR) throw new Error('TENANT_ID and VENDOR are required.');

const IN_FLIGHT = 16;
/** A stop waits this long for messages that were already requested. */
const FETCH_MS = 1_000;
/** Well within the 30 seconds after which an unacknowledged command goes to another adapter. */
const STILL_WORKING_MS = 10_000;

/**
 * The principal's key proves its identity; its public half names the only inbox that it may read. Principals reach the
 * platform's JetStream under a special prefix.
 */
function identity(file: string) {
  const seed = new TextEncoder().encode(readFileSync(file, 'utf8').trim());
  return {
    connection: { authenticator: nkeyAuthenticator(seed), inboxPrefix: `_INBOX_${fromSeed(seed).getPublicKey()}` },
    jetstream: { apiPrefix: 'TOP.API' },
  };
}

const principal = NATS_NKEY_SEED_FILE ? identity(NATS_NKEY_SEED_FILE) : null;
const connection = await connect({
  servers: NATS_URL.replace(/^nats:\/\//, ''),
  ...principal?.connection,
  maxReconnectAttempts: -1,
});
const bus = jetstream(connection, principal?.jetstream);

/** A command in progress is not begun again: it may be redelivered under the same command_id even then. */
const begun = new Map<string, Promise<Outcome>>();
const MAX_REMEMBERED = 10_000;

async function handle(message: JsMsg): Promise<void> {
  const command = message.json<Command>();
  const working = setInterval(() => message.working(), STILL_WORKING_MS);
  try {
    await answer(command);
    message.ack();
  } catch (error) {
    console.error(`${command.command_id} will be redelivered:`, error);
    message.nak(1_000);
  } finally {
    clearInterval(working);
  }
}

async function answer(command: Command): Promise<void> {
  const known = begun.get(command.command_id);
  if (!known && Date.parse(command.deadline_at) <= Date.now()) return; // The platform has reported TIMED_OUT.
  await tell(command, 'outcome', await (known ?? begin(command)));
}

function begin(command: Command): Promise<Outcome> {
  const outcome = tellAccepted(command).then(() => carryOut(command));
  begun.set(command.command_id, outcome);
  outcome.catch(() => begun.delete(command.command_id));
  const [oldest] = begun.keys();
  if (oldest !== undefined && begun.size > MAX_REMEMBERED) begun.delete(oldest);
  return outcome;
}

const tellAccepted = (command: Command) =>
  tell(command, 'accepted', { adapter_status: 'DELIVERED', device_execution_status: 'IN_PROGRESS' });

/** The same update has the same id, so the bus keeps one. */
async function tell({ command_id, tenant_id }: Command, step: string, said: Outcome): Promise<void> {
  const update = { command_id, ...said, occurred_at: new Date().toISOString() };
  const subject = `tenants.${tenant_id}.command-updates.${VENDOR}`;
  await bus.publish(subject, JSON.stringify(update), { msgID: `${command_id} ${step}` });
}

/** The platform creates the durable shortly after the principal was registered. */
async function durable(): Promise<Consumer> {
  for (;;) {
    try {
      return await bus.consumers.get('TOP_COMMANDS', `${TENANT_ID}+${VENDOR}`);
    } catch (error) {
      console.error('No commands to read yet:', error instanceof Error ? error.message : error);
      await delay(1_000);
    }
  }
}

const consumer = await durable();
console.error(`Serving ${VENDOR} for ${TENANT_ID}.`);

const inWork = new Set<Promise<void>>();
let isStopping = false;
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    isStopping = true;
  });
}
while (!isStopping) {
  while (inWork.size >= IN_FLIGHT) await Promise.race(inWork);
  try {
    // Read to the end: NATS may still send requested messages, and would not redeliver them for 30 seconds.
    const messages = await consumer.fetch({ max_messages: IN_FLIGHT - inWork.size, expires: FETCH_MS });
    for await (const message of messages) {
      const handled = handle(message).finally(() => inWork.delete(handled));
      inWork.add(handled);
    }
  } catch (error) {
    console.error('No commands to read:', error instanceof Error ? error.message : error);
    await delay(1_000);
  }
}
await Promise.all(inWork);
await connection.drain();
