import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { subjects } from '@tenant-open-platform/contract/bus';
import { atEnd, signedRequest, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { startServer } from '@tenant-open-platform/testing/start-server';
import { expect, onTestFinished, test } from 'vitest';

const folder = temporaryFolder();
const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
const KEYRING = JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } });
const start = () =>
  startServer({ ...unlimited, DATA_DIR: folder, DATABASE_URL: postgres.url, NATS_URL: nats.url, KEYRING });

test('of two nodes one stores the requests of a device, in the order of the stream; after a kill the other one goes on', async () => {
  const first = await start();
  const nodes = [first, await start()];
  for (const { stop } of nodes) atEnd(stop);
  const demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
  const bus = await connect({ servers: nats.url });
  onTestFinished(() => bus.close());
  const publish = (numbers: readonly number[]) =>
    Promise.all(
      numbers.map((number) => {
        const message = { device_id: 'd-1', request_type: 'help', payload: { number }, dedupe_id: randomUUID() };
        return jetstream(bus).publish(subjects.deviceRequest(demo.tenant_id, 'vendor_a'), JSON.stringify(message));
      }),
    );
  const stored = async (base_url: string): Promise<number[]> => {
    const path = '/api/v1/open/device-requests?limit=500&order=asc';
    const { body } = await signedRequest({ ...demo, base_url }, 'GET', path);
    return body.items.map(({ payload }: { payload: { number: number } }) => payload.number);
  };
  const taken = async ({ baseUrl }: { baseUrl: string }) => {
    const text = await (await fetch(`${baseUrl}/metrics`)).text();
    return Number(/^top_bus_messages_total\{.*kind="device-requests",outcome="TAKEN".*\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };

  const numbers = Array.from({ length: 400 }, (_, number) => number);
  for (let from = 0; from < 300; from += 20) await publish(numbers.slice(from, from + 20));
  await expect.poll(() => stored(first.baseUrl)).toHaveLength(300);
  expect(await stored(first.baseUrl)).toEqual(numbers.slice(0, 300));
  const counts = () => Promise.all(nodes.map(taken));
  // More if an acknowledgement took five seconds.
  await expect.poll(async () => Math.max(...(await counts()))).toBeGreaterThanOrEqual(300);
  expect(Math.min(...(await counts()))).toBe(0);

  const reader = (await counts()).findIndex((count) => count > 0);
  nodes[reader]?.process.kill('SIGKILL');
  await publish(numbers.slice(300));
  const other = nodes[1 - reader]?.baseUrl as string;
  await expect.poll(async () => (await stored(other)).toSorted((a, b) => a - b)).toEqual(numbers);
});
