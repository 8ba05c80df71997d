import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { atEnd, signedRequest } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { completed, newCommand } from './support/commands.js';
import { newPrincipal } from './support/new-principal.js';
import { startPrivatePlatform } from './support/private-platform.js';

const soon = { timeout: 60_000, interval: 50 };

test('JetStream loses acknowledged outcomes: after a republish the kit reports them again, and runs nothing twice', async () => {
  const platform = await startPrivatePlatform();
  const { demo } = platform;
  const principals = `/api/v1/platform/tenants/${demo.tenant_id}/bus/principals`;
  expect((await signedRequest(platform.admin, 'POST', principals, { body: newPrincipal() })).status).toBe(201);
  const runs: string[] = [];
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const adapter = await serveVendor({
    servers: platform.nats.url,
    tenantId: demo.tenant_id,
    vendor: 'vendor_a',
    log() {},
    async onCommand({ command_id }) {
      runs.push(command_id);
      await held;
      return { run: runs.indexOf(command_id) };
    },
  });
  atEnd(() => adapter.stop());
  const since = new Date(Date.now() - 60_000).toISOString();
  const ids: string[] = [];
  for (let count = 0; count < 6; count++) ids.push(await newCommand(demo, { timeout_seconds: 300 }));
  await vi.waitFor(() => expect(runs).toHaveLength(6), soon);

  // The platform handles nothing more.
  platform.server().process.kill('SIGSTOP');
  end();
  await vi.waitFor(() => expect(adapter.counters.outcomes.SUCCEEDED).toBe(6), soon);
  for await (const { config } of platform.streams.list()) await platform.streams.delete(config.name);
  platform.server().process.kill('SIGKILL');
  await platform.restart();
  expect((await platform.run('outbox', 'republish', '--since', since)).exitCode).toBe(0);

  const ended = await Promise.all(ids.map((id) => completed(demo, id)));
  expect(ended).toMatchObject(ids.map((id) => ({ status: 'SUCCEEDED', result: { run: runs.indexOf(id) } })));
  expect([...runs].sort()).toEqual([...ids].sort());
});
