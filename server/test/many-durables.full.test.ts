import { execFileSync } from 'node:child_process';
import { type JetStreamManager, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { startNode } from '@tenant-open-platform/testing';
import { natsServer, ownNats } from '@tenant-open-platform/testing/private-nats';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newPrincipal } from './support/new-principal.js';

const soon = { timeout: 60_000, interval: 100 };

async function begin(prepare: (manager: JetStreamManager) => Promise<unknown> = async () => {}, configuration = '') {
  const nats = await ownNats(configuration);
  const connection = await connect({ servers: nats.url });
  onTestFinished(() => connection.close());
  const manager = await jetstreamManager(connection);
  await prepare(manager);
  const server = await startNode({ NATS_URL: nats.url, REQUESTS_PER_MINUTE: '1000000' });
  const { base_url: baseUrl, client_id: clientId, secret } = server.admin;
  const admin = new TenantOpenPlatform({ baseUrl, clientId, secret });
  return {
    manager,
    admin,
    metrics: async () => (await fetch(`${baseUrl}/metrics`)).text(),
    /** A tenant with an adapter of its own for vendor_a. */
    async register(tenantId: string) {
      await admin.tenants.create({ tenant_id: tenantId, name: tenantId });
      return admin.busPrincipals.create(tenantId, newPrincipal({ vendors: ['vendor_a'] }) as never);
    },
    async completeCommand(tenantId: string) {
      const credential = await admin.credentials.create(tenantId, { client_id: tenantId, name: tenantId });
      await admin.roleBindings.create(tenantId, { client_id: tenantId, role: 'integration_operator' });
      const client = new TenantOpenPlatform({ baseUrl, clientId: tenantId, secret: credential.secret });
      const onCommand = async () => ({});
      const adapter = await serveVendor({ servers: nats.url, tenantId, vendor: 'vendor_a', onCommand, log: () => {} });
      onTestFinished(() => adapter.stop());
      const command = { vendor: 'vendor_a', device_id: 'silent-1', command_type: 'reboot', payload: {} };
      return (await client.commands.createAndWait(command)).status;
    },
  };
}

/** Older servers have no such limit, and do not know the setting. */
function fourDurablesAStream(): string {
  const [, minor] = /v2\.(\d+)/.exec(execFileSync(natsServer, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(minor) >= 15 ? 'jetstream { limits { default_max_consumers: 4 } }' : '';
}

test('six tenants with adapters of their own work where nats-server gives a stream four durables unless it names a number', async () => {
  const { register, completeCommand } = await begin(undefined, fourDurablesAStream());
  for (const tenantId of ['one', 'two', 'three', 'four', 'five', 'six']) {
    expect(await register(tenantId)).toMatchObject({ problem: null });
    expect([tenantId, await completeCommand(tenantId)]).toEqual([tenantId, 'SUCCEEDED']);
  }
});

test('a registration says that a limit of the stream keeps its durable away, and the platform tries until there is room', async () => {
  const stream = { name: 'TOP_COMMANDS', subjects: ['tenants.*.commands.*'], storage: StorageType.File };
  const { manager, admin, metrics, register, completeCommand } = await begin(({ streams }) =>
    streams.add({ ...stream, max_consumers: 2 }),
  );
  const [one] = await Promise.all(['one', 'two'].map(register));
  const refused = await register('three');
  const problem = expect.stringMatching(
    /^NATS refuses the durable three\+vendor_a of TOP_COMMANDS: maximum consumers limit/,
  );
  expect(refused.problem).toEqual(problem);
  const stored = () => admin.busPrincipals.get('three', refused.principal_id);
  expect(await stored()).toMatchObject({ problem });
  await vi.waitFor(async () => expect(await metrics()).toMatch(/^top_bus_durables_refused\S* 1$/m), soon);

  await admin.busPrincipals.update('one', String(one?.principal_id), { status: 'DISABLED' });
  await manager.consumers.delete('TOP_COMMANDS', 'one+vendor_a');
  // Any change of a vendor makes the platform try again, as each minute does.
  await admin.vendors.put('vendor_b', { enabled: true });
  await vi.waitFor(async () => expect(await stored()).toMatchObject({ problem: null }), soon);
  await vi.waitFor(async () => expect(await metrics()).toMatch(/^top_bus_durables_refused\S* 0$/m), soon);
  expect(await completeCommand('three')).toBe('SUCCEEDED');
});
