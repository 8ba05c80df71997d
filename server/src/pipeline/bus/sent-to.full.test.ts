import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { type PrivateNats, startNatsCluster, startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silent } from '../../../test/support/silent.js';
import { natsBus } from './nats-bus.js';

const within = { timeout: 60_000, interval: 100 };

/** Publishes messages over this server, as `isSentAgain` says. Resolves to the headers Sent-To, and the id of the server. */
async function sentOver({ url }: PrivateNats, ...isSentAgain: (boolean | undefined)[]) {
  const bus = await vi.waitFor(() => natsBus({ url }, silent().logger), within);
  onTestFinished(() => bus.close());
  const messages = isSentAgain.map((again) => {
    const id = randomUUID();
    return { subject: `tenants.acme.commands.${id}`, id, body: Buffer.from('{}'), isSentAgain: again };
  });
  await vi.waitFor(() => bus.publish(messages), within);
  const connection = await connect({ servers: url.replace('nats://', '') });
  onTestFinished(() => connection.close());
  const { streams } = await jetstreamManager(connection);
  const stored = messages.map(({ subject }) => streams.getMessage('TOP_COMMANDS', { last_by_subj: subject }));
  return {
    sentTo: (await Promise.all(stored)).map((message) => message?.header.get('Sent-To')),
    server: connection.info?.server_id,
  };
}

async function startNats(configuration = ''): Promise<PrivateNats> {
  const nats = await startPrivateNats(configuration);
  onTestFinished(nats.stop);
  return nats;
}

test('a new command names the server that it was sent to, which has another id after each start; other messages name none', async () => {
  const nats = await startNats();
  const before = await sentOver(nats, false, true, undefined);
  expect(before.sentTo).toEqual([before.server, '', '']);
  await nats.suspend();
  await nats.resume();
  const after = await sentOver(nats, false);
  expect(after.sentTo).toEqual([after.server]);
  expect(after.server).not.toBe(before.server);
});

test('behind a leaf node, which goes on while the server with the streams is started again, a command names none', async () => {
  const port = await freePort();
  await startNats(`jetstream { domain: hub }\nleafnodes { listen: "127.0.0.1:${port}" }`);
  const remote = `leafnodes { remotes: [ { url: "nats://127.0.0.1:${port}" } ] }`;
  const leaf = await startNats(`jetstream: disabled\ndefault_js_domain: { "$G": hub }\n${remote}`);
  expect((await sentOver(leaf, false)).sentTo).toEqual(['']);
});

test('on a cluster, where a server may go on while another one has delivered, a command names none', async () => {
  const cluster = await startNatsCluster();
  for (const { stop } of cluster) onTestFinished(stop);
  const [first] = cluster;
  if (!first) throw new Error('No server.');
  expect((await sentOver(first, false)).sentTo).toEqual(['']);
});
