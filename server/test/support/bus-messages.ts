import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { PrivateNats } from '@tenant-open-platform/testing/private-nats';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Bus, Consumer, Delivery, Message, Outcome } from '../../src/pipeline/bus/bus.js';
import { natsBus } from '../../src/pipeline/bus/nats-bus.js';

export const logger = pino({ level: 'silent' });

export const opened = (bus: Bus): Bus => {
  onTestFinished(() => bus.close());
  return bus;
};

/** Separate subjects for each test. */
export function newSubject() {
  const tenantId = `tenant-${randomUUID().slice(0, 8)}`;
  return { subject: `tenants.${tenantId}.commands.vendor_a`, durable: `${tenantId}+vendor_a` };
}

export const messagesOn = (subject: string, count: number): Message[] =>
  Array.from({ length: count }, (_, index) => ({
    subject,
    id: randomUUID(),
    body: Buffer.from(JSON.stringify({ number: index })),
  }));

export const numberOf = ({ body }: Delivery): number => JSON.parse(body.toString('utf8')).number;

export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The subjects of two tenants, and a durable that reads both. */
export function twoTenants() {
  const vendor = `vendor_${randomUUID().slice(0, 8)}`;
  const placeOf = (tenantId: string) => ({ tenantId, subject: `tenants.${tenantId}.commands.${vendor}` });
  const shared = { subject: `tenants.*.commands.${vendor}`, durable: `shared-${vendor}` };
  return { gone: placeOf(`gone-${vendor}`), kept: placeOf(`kept-${vendor}`), shared };
}

/** The first deliveries. JetStream delivers again what it hears nothing of for five seconds, as on a machine that stalls. */
export function firstsOf(taken: readonly Delivery[]): Delivery[] {
  const ids = new Set<string>();
  return taken.filter(({ id }) => ids.size < ids.add(id).size);
}

/** A reader that records its messages. */
export function reader(
  { subject, durable }: ReturnType<typeof newSubject>,
  answer?: (delivery: Delivery) => Promise<Outcome>,
) {
  const taken: Delivery[] = [];
  const consumer: Consumer = {
    stream: 'TOP_COMMANDS',
    durable,
    subjects: [subject],
    async handle(delivery) {
      taken.push(delivery);
      return answer ? answer(delivery) : 'DONE';
    },
  };
  return { taken, consumer, numbers: () => firstsOf(taken).map(numberOf) };
}

/** Longer than JetStream waits for the acknowledgement of a message that it may have sent to a stopped reader. */
export const soon = { timeout: 50_000, interval: 5 };

export const openOn = async (server: PrivateNats) => opened(await natsBus({ url: server.url }, logger));

export async function managerOf(server: PrivateNats) {
  const connection = await connect({ servers: server.url.replace('nats://', '') });
  onTestFinished(() => connection.close());
  return jetstreamManager(connection);
}

export const updates = 'tenants.acme.command-updates.vendor_a';
