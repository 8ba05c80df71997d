import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Consumer, type JetStreamClient, type JsMsg, jetstream } from '@nats-io/jetstream';
import { fromSeed } from '@nats-io/nkeys';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { type Command, carryOut, type Outcome } from './devices.js';

// NATS_URL      such as nats://nats.example.com:4222
// NATS_NKEY_SEED_FILE   the private seed of the principal; absent where NATS asks for none
// TENANT_ID     whose commands
// VENDOR        of which vendor
const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID, VENDOR } = process.env;
if (!TENANT_ID || !VENDOR) throw new Error('TENANT_ID and VENDOR are required.');

const IN_FLIGHT = 16;
/** Well within the 30 seconds after which an unacknowledged command goes to another adapter. */
const STILL_WORKING_MS = 10_000;

/**
 * The principal's key proves who we are; its public half names the only inbox that we may read. Principals find the
 * platform's JetStream under a prefix of its own.
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
process.once('SIGTERM', () => void connection.drain());
process.once('SIGINT', () => void connection.drain());

/** What was done stays done: a command may come again, under the same command_id. */
const done = new Map<string, Outcome>();
const MAX_REMEMBERED = 10_000;

async function handle(message: JsMsg): Promise<void> {
  const command = message.json<Command>();
  const working = setInterval(() => message.working(), STILL_WORKING_MS);
  try {
    await answer(bus, command);
    message.ack();
  } catch (error) {
    console.error(`${command.command_id} comes again:`, error);
    message.nak(1_000);
  } finally {
    clearInterval(working);
  }
}

async function answer(bus: JetStreamClient, command: Command): Promise<void> {
  const known = done.get(command.command_id);
  if (!known && Date.parse(command.deadline_at) <= Date.now()) return; // The platform has told TIMED_OUT.
  if (!known)
    await tell(bus, command, 'accepted', { adapter_status: 'DELIVERED', device_execution_status: 'IN_PROGRESS' });
  const outcome = known ?? (await carryOut(command));
  done.set(command.command_id, outcome);
  const [oldest] = done.keys();
  if (oldest !== undefined && done.size > MAX_REMEMBERED) done.delete(oldest);
  await tell(bus, command, 'outcome', outcome);
}

/** The same update has the same id, so that the bus keeps one. */
async function tell(bus: JetStreamClient, { command_id }: Command, step: string, said: Outcome): Promise<void> {
  const update = { command_id, ...said, occurred_at: new Date().toISOString() };
  const subject = `tenants.${TENANT_ID}.command-updates.${VENDOR}`;
  await bus.publish(subject, JSON.stringify(update), { msgID: `${command_id} ${step}` });
}

/** The platform makes the durable soon after the principal was registered. */
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

const messages = await (await durable()).consume({ max_messages: IN_FLIGHT });
console.error(`Serving ${VENDOR} for ${TENANT_ID}.`);
for await (const message of messages) void handle(message);
