import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AckPolicy, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { createAccount, createUser } from '@nats-io/nkeys';
import { type ConnectionOptions, connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import {
  API_PREFIX,
  durables,
  inboxPrefix,
  PLATFORM_ACCOUNT,
  subjects,
} from '@tenant-open-platform/contract/bus-access';
import { signedRequest, startNode, temporaryFolder } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

const topctl = fileURLToPath(new URL('../../../../cli/bin/topctl.mjs', import.meta.url));
const soon = { timeout: 60_000, interval: 50 };

type Key = ReturnType<typeof createUser>;
type Principal = { id: string; key: Key };

const platformUser = createUser();

const folder = temporaryFolder();
const seedFile = join(folder, 'platform.nk');
writeFileSync(seedFile, platformUser.getSeed(), { mode: 0o600 });
const nats = await ownNats(
  `accounts { ${PLATFORM_ACCOUNT} { jetstream: enabled, users: [ { nkey: ${platformUser.getPublicKey()} } ] } }`,
);
const server = await startNode({
  DATA_DIR: join(folder, 'data'),
  NATS_URL: nats.url,
  NATS_NKEY_SEED_FILE: seedFile,
  REQUESTS_PER_MINUTE: '1000000',
});
const { admin } = server;
for (const tenant_id of ['acme', 'other']) await post('/api/v1/platform/tenants', { tenant_id, name: tenant_id });
const acme = await register('acme', 'SERVICE');
const other = await register('other', 'SERVICE');
const reader = await register('acme', 'CLIENT');
const everywhere = await register('platform', 'SERVICE');
/** Of tenant acme, limited to vendor_a. */
const limited = await register('acme', 'SERVICE', { vendors: ['vendor_a'] });
await letIn();

async function post(target: string, body: object) {
  const answer = await signedRequest(admin, 'POST', target, { body });
  if (answer.status !== 201) throw new Error(`POST ${target} answered ${answer.status}: ${answer.raw}`);
  return answer.body;
}

const newKeys = () => ({
  bus_account_public_key: createAccount().getPublicKey(),
  bus_user_public_key: createUser().getPublicKey(),
});

async function register(tenantId: string, principalType: string, fields: object = {}): Promise<Principal> {
  const key = createUser();
  const { principal_id } = await post(`/api/v1/platform/tenants/${tenantId}/bus/principals`, {
    // A name may be anything that a configuration could misread.
    bus_user: `"}]#$JS//\\${tenantId}-${principalType}`,
    bus_account_public_key: createAccount().getPublicKey(),
    bus_user_public_key: key.getPublicKey(),
    principal_type: principalType,
    ...fields,
  });
  return { id: principal_id, key };
}

async function renderConfig(): Promise<string> {
  const { base_url, client_id, secret } = admin;
  const argv = [topctl, 'bus', 'render-config', '--platform-user-public-key', platformUser.getPublicKey()];
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    env: { PATH: process.env.PATH, TOP_BASE_URL: base_url, TOP_CLIENT_ID: client_id, TOP_SECRET: secret },
  });
  return stdout;
}

/**
 * As an operator does, see docs/nats.md: in 2.9 the imports of a new account take effect with the second reload.
 */
async function letIn(): Promise<void> {
  const config = await renderConfig();
  for (const _ of ['accounts', 'imports']) await nats.reconfigure(config);
}

async function connectAs({ key }: { key: Key }, options: ConnectionOptions = {}): Promise<NatsConnection> {
  const connection = await connect({
    servers: nats.url.replace('nats://', ''),
    authenticator: nkeyAuthenticator(key.getSeed()),
    inboxPrefix: inboxPrefix(key.getPublicKey()),
    reconnect: false,
    ...options,
  });
  onTestFinished(() => connection.close());
  return connection;
}

/** Waits until the durable exists and has so many messages, then returns its messages. */
async function take({ key }: Principal, stream: string, durable: string, atLeast = 1): Promise<string[]> {
  const connection = await connectAs({ key });
  const consumer = await vi.waitFor(
    () => jetstream(connection, { apiPrefix: API_PREFIX }).consumers.get(stream, durable),
    soon,
  );
  const taken: string[] = [];
  do {
    for await (const message of await consumer.fetch({ max_messages: 10, expires: 1_000 })) {
      taken.push(message.subject);
      await message.ackAck();
    }
  } while (taken.length < atLeast);
  return taken;
}

/** How many messages the stream of updates holds on a subject. */
async function countOf({ streams }: JetStreamManager, subject: string): Promise<number> {
  const { state } = await streams.info('TOP_UPDATES', { subjects_filter: subject });
  return state.subjects?.[subject] ?? 0;
}

/** A publish by the platform. */
async function publish(subject: string): Promise<void> {
  const connection = await connectAs({ key: platformUser }, { inboxPrefix: '_INBOX' });
  await jetstream(connection).publish(subject, '{}', { msgID: randomUUID() });
}

/** Whether the server refused the connection a subject. */
async function violationOf(principal: Principal, act: (connection: NatsConnection) => unknown): Promise<string> {
  const connection = await connectAs(principal);
  const violated = (async () => {
    for await (const status of connection.status()) if (status.type === 'error') return status.error.message;
    return 'closed without a violation';
  })();
  await act(connection);
  await connection.flush();
  const allowed = connection.flush().then(() => 'allowed');
  return Promise.race([violated, allowed]);
}

test.each(['acme', 'platform'])('the own key of the platform cannot be registered in tenant %s', async (tenantId) => {
  const answer = await signedRequest(admin, 'POST', `/api/v1/platform/tenants/${tenantId}/bus/principals`, {
    body: {
      bus_user: 'own',
      bus_account_public_key: createAccount().getPublicKey(),
      bus_user_public_key: platformUser.getPublicKey(),
      principal_type: 'SERVICE',
    },
  });
  expect([answer.status, answer.body.code]).toEqual([409, 'BUS_PRINCIPAL_ALREADY_EXISTS']);
});

test('a principal whose vendor an adapter of every tenant serves too has a problem: each command would be executed twice', async () => {
  const target = '/api/v1/platform/tenants/acme/bus/principals';
  const problemOf = async ({ id }: Principal) => (await signedRequest(admin, 'GET', `${target}/${id}`)).body.problem;
  await vi.waitFor(async () => {
    expect(await problemOf(limited)).toMatch(/^A principal of tenant platform serves vendor_a too, .* executed twice/);
  }, soon);
  expect(await problemOf(reader)).toBeNull();
  const again = { bus_user: 'again', ...newKeys(), principal_type: 'SERVICE', vendors: ['vendor_b'] };
  expect(await post(target, again)).toMatchObject({ problem: expect.stringContaining('serves vendor_b too') });
});

describe('a SERVICE principal', () => {
  test('fetches and acknowledges the commands and replies of its own tenant', async () => {
    const mine = durables.adapter('acme', 'vendor_a');
    // The durable of replies is created with the first request.
    const request = { device_id: 'pump-1', request_type: 'firmware_check', payload: {}, dedupe_id: randomUUID() };
    await jetstream(await connectAs(acme)).publish(subjects.deviceRequest('acme', 'vendor_a'), JSON.stringify(request));
    for (const [stream, subject] of [
      ['TOP_COMMANDS', subjects.command('acme', 'vendor_a')],
      ['TOP_REPLIES', subjects.deviceReply('acme', 'vendor_a')],
    ] as const) {
      await publish(subject);
      expect(await take(acme, stream, mine)).toEqual([subject]);
      expect(await take(acme, stream, mine, 0)).toEqual([]);
    }
  });

  test('publishes updates and device requests of its own tenant, and receives their acknowledgements', async () => {
    const client = jetstream(await connectAs(acme));
    for (const subject of [subjects.commandUpdate('acme', 'vendor_a'), subjects.deviceRequest('acme', 'vendor_a')]) {
      expect(await client.publish(subject, '{}')).toMatchObject({ stream: 'TOP_UPDATES' });
    }
  });

  test.each([
    ['updates of another tenant', () => subjects.commandUpdate('other', 'vendor_a')],
    ['device requests of another tenant', () => subjects.deviceRequest('other', 'vendor_a')],
    ['updates of an unknown vendor', () => subjects.commandUpdate('acme', 'of_no_vendor')],
    ['device requests of an unknown vendor', () => subjects.deviceRequest('acme', 'of_no_vendor')],
    ['commands', () => subjects.command('acme', 'vendor_a')],
    ['events', () => subjects.event('acme', 'command.completed')],
    ['a request for messages of another tenant', () => `${API_PREFIX}.CONSUMER.MSG.NEXT.TOP_COMMANDS.other+vendor_a`],
    ['a question about a durable of another tenant', () => `${API_PREFIX}.CONSUMER.INFO.TOP_COMMANDS.other+vendor_a`],
    ['an acknowledgement for another tenant', () => '$JS.ACK.TOP_COMMANDS.other+vendor_a.1.1.1.1.0'],
    ['the creation of a consumer', () => `${API_PREFIX}.CONSUMER.CREATE.TOP_COMMANDS.spy`],
    ['the creation of a durable consumer', () => `${API_PREFIX}.CONSUMER.DURABLE.CREATE.TOP_COMMANDS.spy`],
    ['the creation of a consumer with a filter', () => '$JS.API.CONSUMER.CREATE.TOP_COMMANDS.spy.tenants.acme.>'],
    ['the direct reading of a stream', () => '$JS.API.STREAM.MSG.GET.TOP_COMMANDS'],
    ['the purge of a stream', () => `${API_PREFIX}.STREAM.PURGE.TOP_COMMANDS`],
    ['the inbox of another', () => `${inboxPrefix(other.key.getPublicKey())}.x`],
  ])('may not publish %s', async (_, subject) => {
    const violation = await violationOf(acme, (connection) => connection.publish(subject(), '{}'));
    expect(violation).toContain('Permissions Violation for Publish');
  });

  test.each([
    ['the inbox of another', () => `${inboxPrefix(other.key.getPublicKey())}.>`],
    ['every inbox', () => '_INBOX.>'],
    ['commands outside its durable, including its own', () => 'tenants.acme.commands.*'],
    ['everything', () => '>'],
  ])('may not subscribe to %s', async (_, subject) => {
    const violation = await violationOf(acme, (connection) => {
      connection.subscribe(subject(), { callback: () => {} });
    });
    expect(violation).toContain('Permissions Violation for Subscription');
  });

  test('cannot use the answers of JetStream to publish where it has no permission', async () => {
    const manager = await jetstreamManager(await connectAs({ key: platformUser }, { inboxPrefix: '_INBOX' }));
    await publish(subjects.command('other', 'of_no_durable'));
    const before = await manager.streams.info('TOP_COMMANDS');
    const connection = await connectAs(acme);
    const foreign = subjects.commandUpdate('other', 'vendor_a');
    const foreignBefore = await countOf(manager, foreign);
    const targets = ['$JS.API', API_PREFIX].flatMap((api) => [
      `${api}.STREAM.PURGE.TOP_COMMANDS`,
      `${api}.STREAM.DELETE.TOP_COMMANDS`,
    ]);
    const next = `${API_PREFIX}.CONSUMER.MSG.NEXT.TOP_COMMANDS.${durables.adapter('acme', 'vendor_a')}`;
    for (const reply of [...targets, foreign]) {
      // Acknowledged with a JSON object that holds a high number, and answered without a body.
      for (let count = 0; count < 5; count += 1) {
        connection.publish(subjects.commandUpdate('acme', 'vendor_a'), '{}', { reply });
      }
      connection.publish(next, JSON.stringify({ batch: 1, no_wait: true }), { reply });
    }
    // Once JetStream has answered the later message, it has processed the earlier ones.
    const client = jetstream(connection, { apiPrefix: API_PREFIX });
    await client.publish(subjects.commandUpdate('acme', 'vendor_a'), '{}');
    await client.consumers.get('TOP_COMMANDS', durables.adapter('acme', 'vendor_a'));
    const after = await manager.streams.info('TOP_COMMANDS');
    expect(after.created).toBe(before.created);
    expect(after.state).toEqual(before.state);
    expect(await countOf(manager, foreign)).toBe(foreignBefore);
  });

  test('of the tenant platform serves every tenant', async () => {
    const connection = await connectAs(everywhere);
    const consumer = await vi.waitFor(
      () =>
        jetstream(connection, { apiPrefix: API_PREFIX }).consumers.get(
          'TOP_COMMANDS',
          durables.adapter('platform', 'vendor_b'),
        ),
      soon,
    );
    const wanted = ['acme', 'other'].map((tenantId) => subjects.command(tenantId, 'vendor_b'));
    for (const subject of wanted) await publish(subject);
    const taken: string[] = [];
    for await (const message of await consumer.fetch({ max_messages: 2, expires: 60_000 })) taken.push(message.subject);
    expect(taken).toEqual(wanted);
    for (const tenantId of ['acme', 'other']) {
      const update = jetstream(connection).publish(subjects.commandUpdate(tenantId, 'vendor_b'), '{}');
      expect(await update).toMatchObject({ stream: 'TOP_UPDATES' });
    }
  });
});

describe('a SERVICE principal of vendor_a', () => {
  test('reads, acknowledges and answers what is of vendor_a', async () => {
    const subject = subjects.command('acme', 'vendor_a');
    await publish(subject);
    expect(await take(limited, 'TOP_COMMANDS', durables.adapter('acme', 'vendor_a'))).toEqual([subject]);
    const client = jetstream(await connectAs(limited));
    for (const answer of [subjects.commandUpdate('acme', 'vendor_a'), subjects.deviceRequest('acme', 'vendor_a')]) {
      expect(await client.publish(answer, '{}')).toMatchObject({ stream: 'TOP_UPDATES' });
    }
  });

  const foreign = durables.adapter('acme', 'vendor_b');
  test.each([
    ['read its commands', `${API_PREFIX}.CONSUMER.MSG.NEXT.TOP_COMMANDS.${foreign}`],
    ['read its replies', `${API_PREFIX}.CONSUMER.MSG.NEXT.TOP_REPLIES.${foreign}`],
    ['see how many wait', `${API_PREFIX}.CONSUMER.INFO.TOP_COMMANDS.${foreign}`],
    ['acknowledge its commands', `$JS.ACK.TOP_COMMANDS.${foreign}.1.1.1.1.0`],
    ['acknowledge its replies', `$JS.ACK.TOP_REPLIES.${foreign}.1.1.1.1.0`],
    ['report on its commands', subjects.commandUpdate('acme', 'vendor_b')],
    ['send requests of its devices', subjects.deviceRequest('acme', 'vendor_b')],
  ])('may not, of vendor_b, %s', async (_, subject) => {
    // One of the same tenant without a limit may.
    expect(await violationOf(acme, (connection) => connection.publish(subject, '{}'))).toBe('allowed');
    const violation = await violationOf(limited, (connection) => connection.publish(subject, '{}'));
    expect(violation).toContain('Permissions Violation for Publish');
  });

  test('reaches nothing of vendor_b by having JetStream answer there', async () => {
    const manager = await jetstreamManager(await connectAs({ key: platformUser }, { inboxPrefix: '_INBOX' }));
    const update = subjects.commandUpdate('acme', 'vendor_b');
    const before = await countOf(manager, update);
    const connection = await connectAs(limited);
    connection.publish(subjects.commandUpdate('acme', 'vendor_a'), '{}', { reply: update });
    await jetstream(connection).publish(subjects.commandUpdate('acme', 'vendor_a'), '{}');
    expect(await countOf(manager, update)).toBe(before);
  });
});

test('principals of a tenant that is limited to vendor_a read nothing of vendor_b, which gets not even a durable', async () => {
  await post('/api/v1/platform/tenants', { tenant_id: 'narrow', name: 'narrow', vendors: ['vendor_a'] });
  const narrow = await register('narrow', 'SERVICE');
  await letIn();
  const subject = subjects.command('narrow', 'vendor_a');
  await publish(subject);
  expect(await take(narrow, 'TOP_COMMANDS', durables.adapter('narrow', 'vendor_a'))).toEqual([subject]);
  const violation = await violationOf(narrow, (connection) =>
    connection.publish(`${API_PREFIX}.CONSUMER.MSG.NEXT.TOP_COMMANDS.${durables.adapter('narrow', 'vendor_b')}`, '{}'),
  );
  expect(violation).toContain('Permissions Violation for Publish');
  const manager = await jetstreamManager(await connectAs({ key: platformUser }, { inboxPrefix: '_INBOX' }));
  const names = (await manager.consumers.list('TOP_COMMANDS').next()).map(({ name }) => name);
  expect(names).toContain('acme+vendor_b');
  expect(names).not.toContain('narrow+vendor_b');
});

test('when a tenant may no longer use a vendor, its adapter still reports the outcome of earlier commands', async () => {
  await post('/api/v1/platform/tenants', { tenant_id: 'shrinking', name: 'shrinking' });
  const adapter = await register('shrinking', 'SERVICE');
  const ofOther = await register('shrinking', 'SERVICE', { vendors: ['vendor_a'] });
  const limit = { vendors: ['vendor_a'] };
  expect((await signedRequest(admin, 'PUT', '/api/v1/platform/tenants/shrinking', { body: limit })).status).toBe(200);
  await letIn();
  const outcome = subjects.commandUpdate('shrinking', 'vendor_b');
  expect(await jetstream(await connectAs(adapter)).publish(outcome, '{}')).toMatchObject({ stream: 'TOP_UPDATES' });
  for (const [principal, subject] of [
    [adapter, `${API_PREFIX}.CONSUMER.MSG.NEXT.TOP_COMMANDS.${durables.adapter('shrinking', 'vendor_b')}`],
    [ofOther, outcome],
  ] as const) {
    const violation = await violationOf(principal, (connection) => connection.publish(subject, '{}'));
    expect(violation).toContain('Permissions Violation for Publish');
  }
});

describe('a CLIENT principal', () => {
  test('reads the events of its tenant, and nothing else', async () => {
    await publish(subjects.event('acme', 'command.accepted'));
    await publish(subjects.event('other', 'command.accepted'));
    expect(await take(reader, 'TOP_EVENTS', durables.events('acme', reader.id))).toEqual([
      'tenants.acme.events.command.accepted',
    ]);
    for (const subject of [
      subjects.commandUpdate('acme', 'vendor_a'),
      `${API_PREFIX}.CONSUMER.MSG.NEXT.TOP_COMMANDS.${durables.adapter('acme', 'vendor_a')}`,
    ]) {
      const violation = await violationOf(reader, (connection) => connection.publish(subject, '{}'));
      expect(violation).toContain('Permissions Violation for Publish');
    }
  });
});

test('two pairs of names with `_` on either side of the `+` stay distinct', async () => {
  const manager = await jetstreamManager(await connectAs({ key: platformUser }, { inboxPrefix: '_INBOX' }));
  const made = ['a_b+c', 'a+b_c'].map((name) =>
    manager.consumers.add('TOP_COMMANDS', { durable_name: name, ack_policy: AckPolicy.Explicit }),
  );
  expect((await Promise.all(made)).map(({ name }) => name)).toEqual(['a_b+c', 'a+b_c']);
});

test.each([
  ['DISABLED', { status: 'DISABLED' }],
  ['expired', { expires_at: '2020-01-01T00:00:00Z' }],
])(
  'a %s principal is disconnected and refused after a reload, and other principals stay connected',
  async (_, change) => {
    const principal = await register('other', 'SERVICE');
    await letIn();
    const connection = await connectAs(principal);
    const staying = await connectAs(other);
    const target = `/api/v1/platform/tenants/other/bus/principals/${principal.id}`;
    expect((await signedRequest(admin, 'PUT', target, { body: change })).status).toBe(200);
    await letIn();
    await connection.closed();
    await expect(connectAs(principal)).rejects.toThrow(/authorization/i);
    await staying.flush();
  },
);

test('a client without a key is refused', async () => {
  await expect(connect({ servers: nats.url.replace('nats://', ''), reconnect: false })).rejects.toThrow(
    /authorization/i,
  );
});
