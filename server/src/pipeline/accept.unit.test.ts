import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../foundation/api-error.js';
import type { CommandOutcome } from '../foundation/database/row-level-security.js';
import {
  type AcceptanceServices,
  type Attempt,
  type CommandRequest,
  createAcceptance,
  decide,
  type Existing,
} from './accept.js';

const request = (idempotency_key: string): CommandRequest => ({
  idempotency_key,
  vendor: 'vendor_a',
  device_id: 'd-1',
  command_type: 'reboot',
  payload: {},
});

const valid = { as: 'VALID', revision: 1 } as const;
const invalid = { as: 'INVALID', refusal: new ApiError('COMMAND_PAYLOAD_INVALID') } as const;
const overloaded = { as: 'OVERLOADED', refusal: new ApiError('SERVICE_UNAVAILABLE') } as const;

const existing: Existing = {
  commandId: randomUUID(),
  acceptedAt: new Date(),
  idempotencyKey: 'a',
  vendor: 'vendor_a',
  deviceId: 'd-1',
  commandType: 'reboot',
  payload: {},
  timeoutSeconds: 30,
};

describe('a command that a statement has not stored', () => {
  /** The command stands at position 5 of its request. */
  const decided = (
    checked: Attempt['checked'],
    outcome: Parameters<typeof decide>[1],
    found?: Existing,
    storedAt?: number,
    fields: Partial<CommandRequest> = {},
  ) => {
    const attempt = { position: 5, idTail: '', result: null, checked, request: { ...request('a'), ...fields } };
    const result = decide(attempt, outcome, found, storedAt);
    if (!result) return result;
    return result instanceof ApiError ? result.code : [result.commandId, ...(result.replayed?.differing ?? ['stored'])];
  };
  const { commandId } = existing;

  test.each<[string, Attempt['checked'], Parameters<typeof decide>[1], Existing?, number?]>([
    ['whose key was used before', valid, 'KEY_USED', existing],
    ['whose key an earlier command of the request has used', valid, 'KEY_USED', existing, 4],
    ['whose key a later command of the request has used', valid, 'KEY_USED', existing, 6],
    ['that is invalid, whose key was used before', invalid, 'KEY_USED', existing],
    ['that is invalid, whose key an earlier command has used', invalid, 'KEY_USED', existing, 4],
    ['that is invalid, whose key an earlier command has used in the same statement', invalid, 'REFUSED', existing, 4],
    ['that would wait too long, whose key was used before', overloaded, 'KEY_USED', existing],
    ['whose vendor is not enabled, and whose key was used before', valid, 'VENDOR_NOT_ENABLED', existing],
    [
      'whose vendor is not enabled, and whose key an earlier command has used',
      valid,
      'VENDOR_NOT_ENABLED',
      existing,
      4,
    ],
    ['whose tenant is away, and whose key was used before', valid, 'TENANT_AWAY', existing],
    ['whose type has changed, and whose key was used before', valid, 'CATALOG_CHANGED', existing],
  ])('%s replays the command of its key', (_, checked, outcome, found, storedAt) => {
    expect(decided(checked, outcome, found, storedAt)).toEqual([commandId]);
  });

  test.each<[string, string, Attempt['checked'], Parameters<typeof decide>[1], Existing?, number?]>([
    ['is invalid', 'COMMAND_PAYLOAD_INVALID', invalid, 'REFUSED'],
    [
      'is invalid, whose key only a later command has used',
      'COMMAND_PAYLOAD_INVALID',
      invalid,
      'KEY_USED',
      existing,
      6,
    ],
    ['would wait too long', 'SERVICE_UNAVAILABLE', overloaded, 'REFUSED'],
    ['would wait too long, before the command of its key', 'SERVICE_UNAVAILABLE', overloaded, 'REFUSED', existing, 6],
    ['is for a vendor that is not enabled', 'VENDOR_NOT_ENABLED', valid, 'VENDOR_NOT_ENABLED'],
    [
      'is for such a vendor, before the command of its key',
      'VENDOR_NOT_ENABLED',
      valid,
      'VENDOR_NOT_ENABLED',
      existing,
      6,
    ],
    ['is of a tenant that moves', 'TENANT_MOVING', valid, 'TENANT_AWAY'],
  ])('that %s is refused: %s', (_, code, checked, outcome, found, storedAt) => {
    expect(decided(checked, outcome, found, storedAt)).toBe(code);
  });

  test('whose type has changed is checked again', () => {
    expect(decided(valid, 'CATALOG_CHANGED')).toBeNull();
  });

  test.each<[string, Partial<CommandRequest>]>([
    ['vendor', { vendor: 'vendor_b' }],
    ['device_id', { device_id: 'd-2' }],
    ['command_type', { command_type: 'lock' }],
    ['payload', { payload: { a: 1 } }],
    ['timeout_seconds', { timeout_seconds: 31 }],
  ])('is told that the command of its key has another %s', (field, fields) => {
    expect(decided(valid, 'KEY_USED', existing, undefined, fields)).toEqual([commandId, field]);
  });

  test('a key that is used by nothing is a defect', () => {
    expect(() => decided(valid, 'KEY_USED')).toThrow('its command does not exist');
  });
});

const accepted = { outcome: 'ACCEPTED', command_id: randomUUID(), accepted_ms: Date.now() } as const;
const origin = { tenantId: 'acme', clientId: 'client', requestId: randomUUID() };

/** An acceptance whose statements have these outcomes, and then fail. */
function acceptanceWith(statements: CommandOutcome[][], failure: Error) {
  return createAcceptance({
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
}

/** The first statement stores one command, and finds the catalog changed for the other. The second one fails. */
async function storeTwo(failure: Error) {
  const { begin, finish } = acceptanceWith([[accepted, { outcome: 'CATALOG_CHANGED' }]], failure);
  const outcomes = await finish(begin([request('a'), request('b')], origin, randomUUID()));
  return { accepted, outcomes };
}

test('a command that the admission has stored needs no further statement', async () => {
  const { begin, finish } = acceptanceWith([], new Error('a further statement'));
  expect(await finish(begin([request('a')], origin), [accepted])).toEqual([
    { commandId: accepted.command_id, acceptedAt: new Date(accepted.accepted_ms) },
  ]);
});

test('a request whose payloads are too large sends no statement', async () => {
  const { begin, commandOf, finish } = acceptanceWith([], new Error('a statement'));
  const begun = begin([{ ...request('a'), payload: { a: 'a'.repeat(1_024) } }], origin, randomUUID());
  expect(commandOf(begun)).toBeUndefined();
  expect(await finish(begun)).toMatchObject([{ code: 'PAYLOAD_TOO_LARGE' }]);
});

test('if the database fails after some commands of a request were stored, these are answered and the others are refused singly', async () => {
  const { accepted, outcomes } = await storeTwo(Object.assign(new Error('canceled'), { code: '57014' }));
  expect(outcomes[0]).toEqual({ commandId: accepted.command_id, acceptedAt: new Date(accepted.accepted_ms) });
  expect(outcomes[1]).toBeInstanceOf(ApiError);
  expect(outcomes[1]).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('a defect is not taken for a failure of the database', async () => {
  await expect(storeTwo(new TypeError('a defect'))).rejects.toThrow('a defect');
});
