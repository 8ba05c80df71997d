import { createTenant, platform, signedRequest, startNode } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';

const STATE = '/api/v1/platform/state';

test('a platform administrator sees backlog, vendors, slots and workers', async () => {
  const { status, raw, body } = await signedRequest(platform().admin, 'GET', STATE);
  expect(status, raw).toBe(200);
  expect(body.slots.map(({ slot }: { slot: number }) => slot)).toEqual(Array.from({ length: 16 }, (_, slot) => slot));
  const workers = body.workers.map(({ worker }: { worker: string }) => worker);
  expect(workers.length).toBeGreaterThan(0);
  for (const { worker } of body.slots) expect([null, ...workers]).toContain(worker);
  expect(body.vendors).toContainEqual({
    vendor: 'vendor_a',
    enabled: true,
    last_read_at: expect.toBeOneOf([null, expect.stringMatching(/^2.*Z$/)]),
  });
  for (const { waiting, oldest_seconds } of [body.outbox, body.events]) {
    expect(oldest_seconds).toEqual(waiting > 0 ? expect.any(Number) : null);
  }
});

test('a platform of its own has one worker, and no age of what does not wait', async () => {
  const node = await startNode();
  const { body } = await signedRequest(node.admin, 'GET', STATE);
  expect(body.outbox).toEqual({ waiting: 0, oldest_seconds: null });
  expect(body.workers).toHaveLength(1);
});

test('nobody else sees it', async () => {
  const { admin, operator } = await createTenant();
  for (const caller of [admin, operator]) expectRefusal(await signedRequest(caller, 'GET', STATE), 'FORBIDDEN');
});
