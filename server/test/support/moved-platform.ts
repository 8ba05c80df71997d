import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { clockAhead, startNode, unlimited } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, type TestContext, vi } from 'vitest';
import { movableClock } from './movable-clock.js';
import { newPrincipal } from './new-principal.js';

/** How far the clocks are ahead of that of NATS, in milliseconds. */
export type Clocks = { node: number; postgres: number; adapter: number };

export type AdapterProgram = { vendor: string; argv: readonly string[]; serves: string };

/**
 * A platform on a NATS and a Postgres of its own, with these clocks, for the calling file (see `atEnd`). It has a command
 * type whose device asks something.
 */
export async function startMovedPlatform(clocks: Clocks, vendors: readonly string[]) {
  const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
  // Before the node connects.
  const clock = await movableClock(postgres.superuserUrl);
  await clock.setAhead(clocks.postgres / 1_000);
  const { admin, demo } = await startNode({
    ...unlimited,
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    ...clockAhead(clocks.node),
  });
  const clientOf = ({ base_url, client_id, secret }: typeof demo) =>
    new TenantOpenPlatform({ baseUrl: base_url, clientId: client_id, secret, logLevel: 'off' });
  const administrator = clientOf(admin);
  const { tenant_id, client_id } = demo;
  await administrator.busPrincipals.create(tenant_id, { ...newPrincipal(), principal_type: 'SERVICE' });
  await administrator.policies.create(tenant_id, { client_id, scope: 'open:device-request:create' });
  for (const vendor of vendors) {
    const type = { description: 'Updates the firmware.', payload_schema: { type: 'object' } };
    await administrator.commandTypes.put(vendor, 'update_firmware', type);
  }
  return {
    nats,
    client: clientOf(demo),
    /** Starts an adapter in a process of its own, and resolves when it reads commands. */
    async launch({ vendor, argv: [program = '', ...parameters], serves }: AdapterProgram, context: TestContext) {
      const adapter = spawn(program, parameters, {
        env: {
          PATH: process.env.PATH,
          NATS_URL: nats.url,
          TENANT_ID: tenant_id,
          VENDOR: vendor,
          ...clockAhead(clocks.adapter),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      context.onTestFinished(() => void adapter.kill('SIGKILL'));
      const exited = once(adapter, 'exit');
      let log = '';
      for (const output of [adapter.stdout, adapter.stderr]) {
        output.setEncoding('utf8').on('data', (text: string) => {
          log += text;
        });
      }
      await vi.waitFor(() => expect(log).toContain(serves), { timeout: 60_000, interval: 20 });
      return {
        log: () => log,
        /** The devices, in the order in which it has begun their commands. */
        ran: () => [...log.matchAll(/^demo-(\S+): \w+$/gm)].map(([, device]) => device),
        async stop() {
          adapter.kill('SIGTERM');
          expect(await exited, log).toEqual([0, null]);
        },
      };
    },
  };
}

export type MovedPlatform = Awaited<ReturnType<typeof startMovedPlatform>>;
