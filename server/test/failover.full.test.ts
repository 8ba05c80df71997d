import { newKeyring, signedRequest, startNode, temporaryFolder } from '@tenant-open-platform/testing';
import { ownPostgres, type PrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import type { RunningServer } from '@tenant-open-platform/testing/start-server';
import { afterAll, expect, test, vi } from 'vitest';
import { COMMANDS, completed, newCommand } from './support/commands.js';
import { untilServed } from './support/until-served.js';

const servers: RunningServer[] = [];

/** The standby comes first: a connection must not stay there, although every session turns read-only off. */
const bothHosts = () => primary.url.replace(hostOf(primary), `${hostOf(standby)},${hostOf(primary)}`);
const hostOf = ({ url }: PrivatePostgres) => new URL(url).host;

const soon = { timeout: 60_000, interval: 100 };

const start = async (more: Record<string, string> = {}) => {
  const server = await startNode({ ...environment, ...more });
  servers.push(server);
  return server;
};

const folder = temporaryFolder();
const primary = await ownPostgres({ settings: { synchronous_standby_names: '*' } });
const standby = await primary.startStandby();
const environment = {
  DATA_DIR: folder,
  DATABASE_URL: `${bothHosts()}?target_session_attrs=read-write`,
  KEYRING: newKeyring(),
  SIMULATED_FLEET: 'true',
};

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await Promise.all([standby?.stop(), primary?.stop()]);
});

test('is unready while no synchronous standby confirms commits', async () => {
  const server = await start({ ROLE: 'api', PORT: '0' });
  const state = async () => (await fetch(`${server.baseUrl}/readyz`)).json();
  const unready = { status: 'unready', reason: 'the database does not answer' };
  await standby.suspend();
  await vi.waitFor(async () => expect(await state()).toEqual(unready), soon);
  await standby.resume();
  await vi.waitFor(async () => expect(await state()).toEqual({ status: 'ready' }), soon);
});

test('follows Postgres to the promoted standby without a restart, and loses no accepted command', async () => {
  const server = await start();
  const { demo } = server;
  const before = await newCommand(demo, { timeout_seconds: 300 });
  expect((await completed(demo, before)).status).toBe('SUCCEEDED');

  await primary.kill();
  const refusal = async () => (await signedRequest(demo, 'GET', `${COMMANDS}/${before}`)).body.code;
  await vi.waitFor(async () => expect(await refusal()).toBe('SERVICE_UNAVAILABLE'), soon);
  await standby.promote();
  const ready = async () => (await fetch(`${server.baseUrl}/readyz`)).json();
  await vi.waitFor(async () => expect(await ready()).toEqual({ status: 'ready' }), soon);

  // The profile has the address of the other server.
  const found = await untilServed(() => signedRequest(demo, 'GET', `${COMMANDS}/${before}`));
  expect(found.body.status, found.raw).toBe('SUCCEEDED');
  expect((await completed(demo, await newCommand(demo, { timeout_seconds: 300 }))).status).toBe('SUCCEEDED');
  // A node that starts now finds the new primary too.
  await start({ ROLE: 'api', PORT: '0' });
});
