import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { subjects } from '@tenant-open-platform/contract/bus';
import { atEnd, signedRequest, startNode } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { smallDisk } from '@tenant-open-platform/testing/small-disk';
import { startPrometheus } from '@tenant-open-platform/testing/start-prometheus';
import { COMMANDS, newCommand } from './support/commands.js';
import { freeze, lockTable, repeat, testFaults } from './support/on-call.js';

const disk = smallDisk(400);
const [postgres, nats] = await Promise.all([ownPostgres({ disk: disk.folder }), ownNats()]);
const worker = await startNode({ DATABASE_URL: postgres.url, NATS_URL: nats.url, ROLE: 'worker' });
const startApi = async () => {
  const environment = { DATABASE_URL: postgres.url, NATS_URL: nats.url, ROLE: 'api', DATA_DIR: worker.folder };
  return startNode({ ...environment, PORT: String(await freePort()) });
};
const api = await startApi();
const other = await startApi();
const demo = { ...worker.demo, base_url: api.baseUrl };
const prometheus = await startPrometheus([api.baseUrl, other.baseUrl, worker.baseUrl]);
const connection = await connect({ servers: nats.url.replace('nats://', ''), maxReconnectAttempts: -1 });
atEnd(() => connection.close());
const pidOf = ({ process }: typeof api) => process.pid as number;

/** Requests that wait for a fault to end are no load: one of them leaves every half second. */
const startLoad = () =>
  repeat(500, () => {
    const body = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };
    return signedRequest(demo, 'POST', COMMANDS, { body: { ...body, idempotency_key: randomUUID() } });
  });

testFaults(prometheus, [
  {
    fault: 'Postgres gone, and nobody sends anything',
    alerts: { TopNotReady: 50, TopDatabaseNotRead: 50 },
    begin: async () => {
      await postgres.suspend();
      return () => postgres.resume();
    },
  },
  {
    fault: 'the disk of Postgres full, and nobody sends anything',
    alerts: { TopNotReady: 60 },
    begin: async () => disk.fill(),
  },
  {
    fault: 'a table locked, under load',
    alerts: { TopMostRequestsFail: 60 },
    load: async () => startLoad(),
    begin: () => lockTable(postgres, 'commands'),
  },
  {
    fault: 'the relay hung: its lease is locked',
    alerts: { TopLoopStuck: 60 },
    begin: () => lockTable(postgres, 'slots'),
  },
  {
    fault: 'the only worker frozen: nobody relays, and nobody handles updates',
    alerts: { TopOutboxNotPublished: 45, TopUpdatesNotHandled: 45, TopProcessDown: 90 },
    begin: async () => {
      const wake = await freeze(pidOf(worker));
      const command_id = await newCommand(demo);
      const update = JSON.stringify({ command_id, device_execution_status: 'SUCCEEDED' });
      await jetstream(connection).publish(subjects.commandUpdate(demo.tenant_id, 'vendor_a'), update);
      return wake;
    },
  },
  {
    fault: 'all processes frozen',
    alerts: { TopAllProcessesDown: 90 },
    begin: () => freeze(...[worker, api, other].map(pidOf)),
  },
  {
    fault: 'one api of two dead',
    alerts: { TopProcessDown: 90 },
    begin: async () => {
      other.process.kill('SIGKILL');
      const { port: PORT } = new URL(other.baseUrl);
      const environment = { DATABASE_URL: postgres.url, NATS_URL: nats.url, ROLE: 'api', DATA_DIR: worker.folder };
      return () => startNode({ ...environment, PORT });
    },
  },
]);
