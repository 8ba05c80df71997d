import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newPrincipal } from '../../test/support/new-principal.js';
import { openPool } from '../../test/support/open-pool.js';
import { silent } from '../../test/support/silent.js';
import { localSignals } from '../foundation/signals/signals.js';
import { createLogger } from '../foundation/telemetry/logger.js';
import type { Durable } from './bus/bus.js';
import { inProcessBus } from './bus/in-process-bus.js';
import { createProvisioner, startProvisioning } from './provision-durables.js';

test('a new principal gets its durables although NATS refuses a stream at the moment; the log has every failure', async () => {
  const { tenant_id, admin } = await createTenant();
  const target = `/api/v1/platform/tenants/${tenant_id}/bus/principals`;
  expect((await signedRequest(admin, 'POST', target, { body: newPrincipal() })).status).toBe(201);
  const database = openPool();
  const bus = inProcessBus();
  const provided = new Set<string>();
  const refusing = {
    ...bus,
    keepStreams: () => Promise.reject(new Error('The stream elects its leader.')),
    provide: async (durables: readonly Durable[]) => {
      for (const { durable } of durables) provided.add(durable);
      throw new Error('NATS does not answer.');
    },
  };
  const log: string[] = [];
  const logger = createLogger('error', { write: (line) => void log.push(line) });
  const loop = startProvisioning(database, refusing, { ...silent(), logger, signals: localSignals() });
  onTestFinished(async () => {
    await loop.stop();
    await bus.close();
    await database.close();
  });
  await vi.waitFor(() => expect(provided).toContain(`${tenant_id}+vendor_a`), { timeout: 60_000 });
  await vi.waitFor(() => expect(log.join('')).toMatch(/The stream elects its leader.*NATS does not answer/), {
    timeout: 60_000,
  });
});

test('once lost streams are created again, all durables are provided again, long before the next round', async () => {
  const { tenant_id, admin } = await createTenant();
  const target = `/api/v1/platform/tenants/${tenant_id}/bus/principals`;
  expect((await signedRequest(admin, 'POST', target, { body: newPrincipal() })).status).toBe(201);
  const database = openPool();
  const bus = inProcessBus();
  const restored: (() => void)[] = [];
  let provided: string[] = [];
  const losing = {
    ...bus,
    onRestored: (tell: () => void) => void restored.push(tell),
    provide: async (durables: readonly Durable[]) => {
      provided.push(...durables.map(({ durable }) => durable));
      return [];
    },
  };
  const loop = startProvisioning(database, losing, { ...silent(), signals: localSignals() });
  onTestFinished(async () => {
    await loop.stop();
    await bus.close();
    await database.close();
  });
  const isProvided = () => expect(provided).toContain(`${tenant_id}+vendor_a`);
  await vi.waitFor(isProvided, { timeout: 60_000 });
  provided = [];
  for (const tell of restored) tell();
  await vi.waitFor(isProvided, { timeout: 60_000 });
});

test('a round provides only what is new, and the durables of a tenant that was away and came back', async () => {
  const { tenant_id, admin } = await createTenant();
  const target = `/api/v1/platform/tenants/${tenant_id}`;
  expect((await signedRequest(admin, 'POST', `${target}/bus/principals`, { body: newPrincipal() })).status).toBe(201);
  const bus = inProcessBus();
  onTestFinished(bus.close);
  let provided: string[] = [];
  const recording = {
    ...bus,
    provide: async (durables: readonly Durable[]) => {
      provided = durables.map(({ durable }) => durable);
      return [];
    },
  };
  const provision = createProvisioner(openPool(), recording);
  await provision();
  expect(provided).toContain(`${tenant_id}+vendor_a`);
  await provision();
  expect(provided).not.toContain(`${tenant_id}+vendor_a`);
  // As a move there and back: its tenant has the same principals, and another time of its last change.
  for (const status of ['DISABLED', 'ACTIVE']) {
    expect((await signedRequest(platform().admin, 'PUT', target, { body: { status } })).status).toBe(200);
  }
  await provision();
  expect(provided).toContain(`${tenant_id}+vendor_a`);
});
