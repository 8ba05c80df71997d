import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { signedRequest, startNode } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { startPrometheus } from '@tenant-open-platform/testing/start-prometheus';
import connect from 'postgres';
import { afterAll, expect, test, vi } from 'vitest';

const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
const environment = { DATABASE_URL: postgres.url, NATS_URL: nats.url };
const worker = await startNode({ ...environment, ROLE: 'worker' });
const api = await startNode({ ...environment, ROLE: 'api', DATA_DIR: worker.folder });
const { demo } = worker;
const prometheus = await startPrometheus([api.baseUrl, worker.baseUrl]);

type Alert = { state: string; labels: { alertname: string }; annotations: { summary: string } };

const firing = async (): Promise<Alert[]> =>
  (await prometheus.ask('alerts')).alerts.filter(({ state }: Alert) => state === 'firing');

const seconds = (since: number) => Math.round((performance.now() - since) / 1_000);

/** Requests that wait for a fault to end are no load: one of them leaves every half second. */
function startLoad() {
  let isOver = false;
  const sending = (async () => {
    while (!isOver) {
      const body = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };
      const options = { body: { ...body, idempotency_key: randomUUID() } };
      void signedRequest({ ...demo, base_url: api.baseUrl }, 'POST', '/api/v1/open/downlink/commands', options).catch(
        () => {},
      );
      await delay(500);
    }
  })();
  return async () => {
    isOver = true;
    await sending;
  };
}

async function lockTable() {
  const superuser = connect(postgres.superuserUrl, { max: 1 });
  const session = await superuser.reserve();
  await session`begin`;
  await session`lock table commands in access exclusive mode`;
  return async () => {
    await session`rollback`;
    session.release();
    await superuser.end();
  };
}

async function stopProcess(pid: number) {
  process.kill(pid, 'SIGSTOP');
  return async () => void process.kill(pid, 'SIGCONT');
}

type Fault = { fault: string; alert: string; withinSeconds: number; begin: () => Promise<() => Promise<unknown>> };

const faults: Fault[] = [
  {
    fault: 'NATS gone, and nobody sends anything',
    alert: 'TopBusNotAnswering',
    withinSeconds: 50,
    begin: async () => {
      await nats.suspend();
      return () => nats.resume();
    },
  },
  {
    fault: 'nats-server frozen',
    alert: 'TopBusNotAnswering',
    withinSeconds: 75,
    begin: () => stopProcess(nats.pid()),
  },
  {
    fault: 'Postgres gone, and nobody sends anything',
    alert: 'TopNotReady',
    withinSeconds: 50,
    begin: async () => {
      await postgres.suspend();
      return () => postgres.resume();
    },
  },
  {
    fault: 'a table locked, under load',
    alert: 'TopMostRequestsFail',
    withinSeconds: 60,
    begin: async () => {
      const stop = startLoad();
      await delay(5_000);
      const unlock = await lockTable();
      return () => Promise.all([unlock(), stop()]);
    },
  },
  {
    fault: 'the only worker frozen: nobody relays',
    alert: 'TopProcessDown',
    withinSeconds: 90,
    begin: () => stopProcess(worker.process.pid as number),
  },
];

const table: string[] = ['fault | alert | after s | it says | normal after s'];
afterAll(() => console.log(table.join('\n')));

test.each(faults)(
  '$fault: $alert fires',
  async ({ fault, alert, withinSeconds, begin }) => {
    await vi.waitFor(async () => expect(await firing()).toEqual([]), { timeout: 150_000, interval: 500 });
    const begunAt = performance.now();
    const repair = await begin();
    const found = async () => {
      const [first] = (await firing()).filter(({ labels }) => labels.alertname === alert);
      expect(first).toBeDefined();
      return first as Alert;
    };
    const outcome = await vi.waitFor(found, { timeout: withinSeconds * 1_000, interval: 250 }).catch((error) => error);
    const after = seconds(begunAt);
    const repairedAt = performance.now();
    await repair();
    if (outcome instanceof Error) throw outcome;
    const { annotations } = outcome as Alert;
    const isOver = async () => expect((await firing()).map(({ labels }) => labels.alertname)).not.toContain(alert);
    await vi.waitFor(isOver, { timeout: 120_000, interval: 250 });
    table.push([fault, alert, after, annotations.summary, seconds(repairedAt)].join(' | '));
  },
  400_000,
);
