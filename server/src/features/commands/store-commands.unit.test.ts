import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ApiError } from '../../platform/operation/api-error.js';
import type { Call } from '../../platform/operation/call.js';
import type { Acceptance } from './accept-commands.js';
import { type CommandRequest, type CommandServices, createCommandStore } from './store-commands.js';

const request = (idempotency_key: string): CommandRequest => ({
  idempotency_key,
  vendor: 'vendor_a',
  device_id: 'd-1',
  command_type: 'reboot',
  payload: {},
});

/** The first statement stores one command, and finds the catalog changed for the other. The second one fails. */
async function storeTwo(failure: Error) {
  const store = createCommandStore({
    catalog: { check: () => ({ revision: 1 }), reload: async () => {} },
    signals: { send() {} },
    waits: { secondsFor: () => 0 },
    payloadLimitBytes: 1_024,
  } as unknown as CommandServices).store;
  const accepted = { outcome: 'ACCEPTED', commandId: randomUUID(), acceptedAt: new Date() } as const;
  const statements: Acceptance[][] = [[accepted, { outcome: 'CATALOG_CHANGED' }]];
  const call = { tenantId: 'acme', requestId: randomUUID(), asTenant: async () => [] } as unknown as Call;
  const outcomes = await store([request('a'), request('b')], call, async () => {
    const next = statements.shift();
    if (!next) throw failure;
    return next;
  });
  return { accepted, outcomes };
}

test('if the database fails after some commands of a request were stored, these are answered and the others are refused singly', async () => {
  const { accepted, outcomes } = await storeTwo(Object.assign(new Error('canceled'), { code: '57014' }));
  expect(outcomes[0]).toEqual(accepted);
  expect(outcomes[1]).toBeInstanceOf(ApiError);
  expect(outcomes[1]).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('a defect is not taken for a failure of the database', async () => {
  await expect(storeTwo(new TypeError('a defect'))).rejects.toThrow('a defect');
});
