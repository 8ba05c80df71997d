import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

// Floods the bus as an adapter of one tenant, as fast as NATS takes the messages: bus-flooder.ts <kind>

const { NATS_URL = '', TENANT_ID = '' } = process.env;
const AT_ONCE = 128;
const SUBJECTS = 50;

const large = (value: object) => {
  const text = JSON.stringify(value);
  return JSON.stringify({ ...value, result: { text: 'a'.repeat(65_536 - text.length - 100) } });
};
const update = () => ({ command_id: randomUUID(), device_execution_status: 'SUCCEEDED' });
const updatesOf = (vendor: string) => `tenants.${TENANT_ID}.command-updates.${vendor}`;

const kinds: Record<string, (count: number) => [subject: string, body: string]> = {
  'updates of 64 KiB': () => [updatesOf('vendor_a'), large(update())],
  'tiny updates': () => [updatesOf('vendor_a'), JSON.stringify(update())],
  'device requests': () => [
    `tenants.${TENANT_ID}.device-requests.vendor_a`,
    JSON.stringify({ device_id: 'd-1', request_type: 'help', payload: {}, dedupe_id: randomUUID() }),
  ],
  'many subjects, 64 KiB': (count) => [updatesOf(`vendor_${count % SUBJECTS}`), large(update())],
};

const make = kinds[process.argv[2] ?? ''];
if (!make) throw new Error(`Usage: bus-flooder.ts ${Object.keys(kinds).join('|')}`);

const counts = { taken: 0, refused: 0 };
process.on('message', () => process.send?.(counts));
const connection = await connect({ servers: NATS_URL.replace('nats://', ''), noAsyncTraces: true });
const bus = jetstream(connection, { timeout: 30_000 });
process.send?.('flooding');
let count = 0;
const flood = async () => {
  for (;;) {
    const [subject, body] = make(count++);
    await bus.publish(subject, body).then(
      () => counts.taken++,
      () => counts.refused++,
    );
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, flood));
