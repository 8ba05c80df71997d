import { startNode } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { smallDisk } from '@tenant-open-platform/testing/small-disk';
import { startExporter } from '@tenant-open-platform/testing/start-exporter';
import { startPrometheus } from '@tenant-open-platform/testing/start-prometheus';
import { newCommand } from './support/commands.js';
import { registerEventReader } from './support/new-principal.js';
import { freeze, repeat, testFaults } from './support/on-call.js';

const disk = smallDisk(64);
/** The operator expects a larger disk. */
const SPACE = 'jetstream { max_file_store: 8GB }';
const [postgres, nats] = await Promise.all([ownPostgres(), ownNats(SPACE, { disk: disk.folder })]);
const worker = await startNode({ DATABASE_URL: postgres.url, NATS_URL: nats.url, ROLE: 'worker' });
const api = await startNode({ DATABASE_URL: postgres.url, NATS_URL: nats.url, ROLE: 'api', DATA_DIR: worker.folder });
const demo = { ...worker.demo, base_url: api.baseUrl };
/** The bus has only events of tenants with a principal that reads them. */
await registerEventReader({ ...worker.admin, base_url: api.baseUrl });
const node = await startExporter('prometheus-node-exporter', [
  '--collector.disable-defaults',
  '--collector.filesystem',
  `--collector.filesystem.mount-points-exclude=^/(dev|proc|sys)`,
]);
const prometheus = await startPrometheus([api.baseUrl, worker.baseUrl], { node });

testFaults(prometheus, [
  {
    fault: 'NATS gone, and nobody sends anything',
    alerts: { TopBusNotAnswering: 50 },
    begin: async () => {
      await nats.suspend();
      return () => nats.resume();
    },
  },
  {
    fault: 'nats-server frozen',
    alerts: { TopBusNotAnswering: 75 },
    begin: () => freeze(nats.pid()),
  },
  {
    fault: 'JetStream off: nats-server started without it, and one command',
    alerts: { TopBusNotAnswering: 60, TopEventsNotPublished: 90 },
    begin: async () => {
      await nats.restart('jetstream: disabled');
      await newCommand(demo);
      return () => nats.restart(SPACE);
    },
  },
  {
    fault: 'the disk of NATS full, a command every half second',
    alerts: { TopBusNotAnswering: 60, TopDiskNearlyFull: 90 },
    load: async () => repeat(500, () => newCommand(demo)),
    begin: async () => {
      const free = disk.fill();
      return async () => {
        free();
        await nats.restart(SPACE);
      };
    },
  },
]);
