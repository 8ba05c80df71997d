import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { subjects } from '@tenant-open-platform/contract/bus';
import { atEnd, type Profile, signedRequest, startNode, unlimited } from '@tenant-open-platform/testing';
import { ownNats, startNatsCluster } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { startPrometheus } from '@tenant-open-platform/testing/start-prometheus';
import { createTurns } from '../src/foundation/concurrency/turns.js';
import { newCommand } from './support/commands.js';
import { newPrincipal } from './support/new-principal.js';
import { freeze, repeat, testFaults } from './support/on-call.js';

const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
const environment = { ...unlimited, DATABASE_URL: postgres.url, NATS_URL: nats.url };
const worker = await startNode({ ...environment, ROLE: 'worker' });
const api = await startNode({ ...environment, ROLE: 'api', DATA_DIR: worker.folder });
const demo = { ...worker.demo, base_url: api.baseUrl };

/** Another platform, on a cluster whose streams have one copy until it is told otherwise. */
const cluster = await startNatsCluster();
for (const server of cluster) atEnd(server.stop);
const ofCluster = { DATABASE_URL: (await ownPostgres()).url, NATS_URL: cluster.map(({ url }) => url).join(',') };
const clustered = await startNode({ ...ofCluster, NATS_REPLICAS: '3' });

const prometheus = await startPrometheus([api.baseUrl, worker.baseUrl, clustered.baseUrl], { isShortened: true });
const connection = await connect({ servers: nats.url.replace('nats://', ''), maxReconnectAttempts: -1 });
atEnd(() => connection.close());
const { streams } = await jetstreamManager(connection);
const update = (content: object | string) =>
  jetstream(connection).publish(
    subjects.commandUpdate(demo.tenant_id, 'vendor_a'),
    typeof content === 'string' ? content : JSON.stringify(content),
  );

/** A caller that does not repeat what is refused. */
const sendBatch = (size: number, timeout_seconds: number) => {
  const command = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {}, timeout_seconds };
  const commands = Array.from({ length: size }, () => ({ ...command, idempotency_key: randomUUID() }));
  return signedRequest(demo, 'POST', '/api/v1/open/downlink/command-batches', { body: { commands } });
};

/** Never two at a time, which would be freed by the first. */
function stall(everyMs: number, forMs: number) {
  return repeat(everyMs, async () => {
    const wake = await freeze(nats.pid());
    await delay(forMs);
    wake();
  });
}

/** Makes a platform look at its streams and durables, as each minute does. */
const lookAtBus = (admin: Profile) =>
  signedRequest(admin, 'PUT', '/api/v1/platform/catalog/vendors/vendor_b', { body: { enabled: true } });

testFaults(prometheus, [
  {
    fault: 'a vendor without a reader',
    alerts: { TopVendorTimesOut: 60 },
    begin: async () => repeat(500, () => newCommand(demo, { timeout_seconds: 1 })),
  },
  {
    fault: 'an adapter that answers after the deadline',
    alerts: { TopResultsLate: 60 },
    begin: async () =>
      repeat(500, async () => {
        const command_id = await newCommand(demo, { timeout_seconds: 1 });
        await delay(3_000);
        await update({ command_id, device_execution_status: 'SUCCEEDED' });
      }),
  },
  {
    fault: 'an adapter that sends malformed updates',
    alerts: { TopMessagesRefused: 30 },
    begin: async () => {
      await update('{');
      return () => {};
    },
  },
  {
    fault: 'NATS gone, under load',
    alerts: { TopCommandsExpire: 60 },
    begin: async () => {
      const stop = repeat(500, () => newCommand(demo, { timeout_seconds: 2 }));
      await nats.suspend();
      return () => Promise.all([nats.resume(), stop()]);
    },
  },
  {
    fault: 'JetStream off, under load',
    alerts: { TopPublishesRepeated: 60 },
    begin: async () => {
      await nats.restart('jetstream: disabled');
      const stop = repeat(100, () => newCommand(demo));
      return () => Promise.all([nats.restart(''), stop()]);
    },
  },
  {
    fault: 'nats-server stalls for four of five seconds, and a tenant sends 1,000 commands a second',
    alerts: { TopOverload: 60 },
    begin: async () => {
      const stop = repeat(500, () => sendBatch(500, 4));
      const end = stall(5_000, 4_000);
      return () => Promise.all([stop(), end()]);
    },
  },
  {
    fault: 'a stream whose largest message is smaller than a command',
    alerts: { TopMessagesParked: 30 },
    begin: async () => {
      const { max_msg_size } = (await streams.info('TOP_COMMANDS')).config;
      await streams.update('TOP_COMMANDS', { max_msg_size: 100 });
      await newCommand(demo);
      return () => streams.update('TOP_COMMANDS', { max_msg_size });
    },
  },
  {
    fault: 'a small stream of updates, and the only worker frozen',
    alerts: { TopUpdatesNearlyFull: 30 },
    begin: async () => {
      const { max_bytes } = (await streams.info('TOP_UPDATES')).config;
      const wake = await freeze(worker.process.pid as number);
      await streams.update('TOP_UPDATES', { max_bytes: 100_000 });
      for (let sent = 0; sent < 9; sent++) await update({ command_id: randomUUID(), text: 'x'.repeat(10_000) });
      return async () => {
        await streams.update('TOP_UPDATES', { max_bytes });
        wake();
      };
    },
  },
  {
    fault: 'a cluster of NATS whose streams have one copy',
    alerts: { TopBusSingleCopies: 60 },
    begin: async () => {
      const { port: PORT } = new URL(clustered.baseUrl);
      await clustered.stop();
      const own = { ...ofCluster, PORT, DATA_DIR: clustered.folder };
      const single = await startNode({ ...own, NATS_REPLICAS: '1' });
      return async () => {
        await single.stop();
        await startNode({ ...own, NATS_REPLICAS: '3' });
      };
    },
  },
  {
    fault: 'a stream that may have one durable, and two vendors',
    alerts: { TopBusDurablesRefused: 60 },
    begin: async () => {
      const admin = { ...worker.admin, base_url: api.baseUrl };
      await streams.delete('TOP_COMMANDS');
      await streams.add({ name: 'TOP_COMMANDS', subjects: ['tenants.*.commands.*'], max_consumers: 1 });
      const body = newPrincipal({ vendors: ['vendor_a', 'vendor_b'] });
      await signedRequest(admin, 'POST', '/api/v1/platform/tenants/demo/bus/principals', { body });
      return async () => {
        await streams.delete('TOP_COMMANDS');
        await lookAtBus(admin);
      };
    },
  },
  {
    fault: 'a cluster of NATS with 1,601 durables',
    alerts: { TopBusManyDurables: 150 },
    begin: async () => {
      const ofCluster = await connect({ servers: cluster.map(({ url }) => url.replace('nats://', '')) });
      const manager = await jetstreamManager(ofCluster, { timeout: 120_000 });
      const inTurn = createTurns({ atOnce: 16, maxWaitMs: 120_000 });
      const create = (number: number) =>
        manager.consumers.add('TOP_EVENTS', { durable_name: `reader-${number}`, ack_policy: AckPolicy.Explicit });
      await Promise.all(Array.from({ length: 1_601 }, (_, number) => inTurn('', () => create(number))));
      return async () => {
        await manager.streams.delete('TOP_EVENTS');
        await lookAtBus(clustered.admin);
        await ofCluster.close();
      };
    },
  },
]);
