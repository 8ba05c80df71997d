import { randomUUID } from 'node:crypto';
import { type CommandUpdate, subjects } from '@tenant-open-platform/contract/bus';
import { atEnd, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { COMMANDS, newCommand } from '../../../test/support/commands.js';
import { startPrivatePlatform } from '../../../test/support/private-platform.js';
import { untilServed } from '../../../test/support/until-served.js';
import { MAX_IN_FLIGHT } from './bus.js';
import { natsBus } from './nats-bus.js';

/** The most that NATS keeps of one subject. */
const FLOOD = 5_000;
const PER_SUBJECT = 'maximum messages per subject exceeded';

/** What follows a flood that is paced for 40 seconds would wait behind it. So this tenant sends nothing else. */
const BULKY = 'bulky';

const platform = await startPrivatePlatform();
const bus = await natsBus({ url: platform.nats.url }, pino({ level: 'silent' }));
const neighbour = await createOperator('neighbour');
await createOperator(BULKY);

atEnd(bus.close);

/** An operator of a tenant of its own. */
async function createOperator(tenant_id: string): Promise<Profile> {
  const { admin } = platform;
  const node = platform.server().baseUrl;
  const post = async (path: string, body: object) => {
    const answer = await untilServed(() =>
      signedRequest(admin, 'POST', `/api/v1/platform/tenants${path}`, { node, body }),
    );
    expect(answer.status, answer.raw).toBe(201);
    return answer.body;
  };
  await post('', { tenant_id, name: tenant_id });
  const { client_id, secret } = await post(`/${tenant_id}/credentials`, { client_id: tenant_id, name: tenant_id });
  await post(`/${tenant_id}/role-bindings`, { client_id, role: 'integration_operator' });
  return { ...admin, tenant_id, client_id, secret };
}

const send = (tenantId: string, updates: (CommandUpdate | Buffer)[]) =>
  bus.publish(
    updates.map((update) => ({
      subject: subjects.commandUpdate(tenantId, 'vendor_a'),
      id: randomUUID(),
      body: Buffer.isBuffer(update) ? update : Buffer.from(JSON.stringify(update)),
    })),
  );

async function commandOf(profile: Profile): Promise<string> {
  const node = platform.server().baseUrl;
  const id = await newCommand(profile, { timeout_seconds: 300 }, node);
  await vi.waitFor(async () => expect(await statusOf(profile, id)).toBe('DISPATCHED'), { timeout: 60_000 });
  return id;
}

async function statusOf(profile: Profile, id: string): Promise<string> {
  const node = platform.server().baseUrl;
  return (await signedRequest(profile, 'GET', `${COMMANDS}/${id}`, { node })).body.status;
}

const untaken = async () => (await platform.streams.info('TOP_UPDATES')).state.messages;

const succeeded = (command_id: string): CommandUpdate => ({ command_id, device_execution_status: 'SUCCEEDED' });

test.each<[string, string, () => Promise<() => CommandUpdate | Buffer>]>([
  ['malformed', 'demo', async () => () => Buffer.from('{')],
  ['for commands that do not exist', 'demo', async () => () => succeeded(randomUUID())],
  // NATS would take 16,000 of them into 1 GiB, and then no update of any tenant.
  ['of 64 KiB', BULKY, async () => () => Buffer.from(JSON.stringify(succeeded(randomUUID())).padEnd(65_536))],
  [
    'for a command that has ended',
    'demo',
    async () => {
      const id = await commandOf(platform.demo);
      await send('demo', [succeeded(id)]);
      return () => succeeded(id);
    },
  ],
])(
  `of ${FLOOD} updates of one tenant that are %s many still wait when another tenant's update is handled`,
  {
    timeout: 120_000,
  },
  async (_, tenantId, prepare) => {
    const bogus = await prepare();
    const id = await commandOf(neighbour);
    // No earlier update may count towards the limit of the subject.
    await vi.waitFor(async () => expect(await untaken()).toBe(0), { timeout: 60_000 });
    // The platform is suspended meanwhile, so that the whole flood waits, even on a slow machine.
    const { process } = platform.server();
    process.kill('SIGSTOP');
    onTestFinished(() => void process.kill('SIGCONT'));
    // A publish fails after 5 seconds: a slow machine acknowledges 3 MiB within them, but perhaps not 32.
    for (let sent = 0; sent < FLOOD; sent += 50) await send(tenantId, Array.from({ length: 50 }, bogus));
    await expect(send(tenantId, [bogus()])).rejects.toMatchObject({ cause: { message: PER_SUBJECT } });
    await send(neighbour.tenant_id, [succeeded(id)]);
    process.kill('SIGCONT');
    let waiting = 0;
    const succeeds = async () => {
      // Counted before: a busy machine may need seconds to read the status.
      waiting = await untaken();
      expect(await statusOf(neighbour, id)).toBe('SUCCEEDED');
    };
    await vi.waitFor(succeeds, { timeout: 60_000, interval: 20 });
    expect(waiting).toBeGreaterThan(2 * MAX_IN_FLIGHT);
    if (tenantId === BULKY) await platform.streams.purge('TOP_UPDATES');
    await vi.waitFor(async () => expect(await untaken()).toBe(0), { timeout: 60_000, interval: 200 });
  },
);
