import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ApiError } from '../foundation/api-error.js';
import type { CommandOutcome } from '../foundation/database/row-level-security.js';
import { type AcceptanceServices, type CommandRequest, createAcceptance } from './accept.js';

const request = (idempotency_key: string): CommandRequest => ({
  idempotency_key,
  vendor: 'vendor_a',
  device_id: 'd-1',
  command_type: 'reboot',
  payload: {},
});

/** The first statement stores one command, and finds the catalog changed for the other. The second one fails. */
async function storeTwo(failure: Error) {
  const accepted = { outcome: 'ACCEPTED', command_id: randomUUID(), accepted_ms: Date.now() } as const;
  const statements: CommandOutcome[][] = [[accepted, { outcome: 'CATALOG_CHANGED' }]];
  const { accept } = createAcceptance({
    database: {
      async sql() {
        const next = statements.shift();
        if (!next) throw failure;
        return next;
      },
      drizzle: { transaction: async () => [] },
    },
    catalog: { check: () => ({ revision: 1 }), read: async () => new Map() },
    signals: { send() {} },
    waits: { secondsFor: () => 0 },
    payloadLimitBytes: 1_024,
  } as unknown as AcceptanceServices);
  const origin = { tenantId: 'acme', clientId: 'client', requestId: randomUUID() };
  const outcomes = await accept([request('a'), request('b')], origin, randomUUID());
  return { accepted, outcomes };
}

test('if the database fails after some commands of a request were stored, these are answered and the others are refused singly', async () => {
  const { accepted, outcomes } = await storeTwo(Object.assign(new Error('canceled'), { code: '57014' }));
  expect(outcomes[0]).toEqual({ commandId: accepted.command_id, acceptedAt: new Date(accepted.accepted_ms) });
  expect(outcomes[1]).toBeInstanceOf(ApiError);
  expect(outcomes[1]).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('a defect is not taken for a failure of the database', async () => {
  await expect(storeTwo(new TypeError('a defect'))).rejects.toThrow('a defect');
});
