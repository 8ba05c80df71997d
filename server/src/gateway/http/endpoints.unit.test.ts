import { allOperations, type ErrorCode, type Operation } from '@tenant-open-platform/contract';
import { expect, test } from 'vitest';
import { ApiError } from '../../foundation/api-error.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import type { CallOf, Handlers, OperationName } from '../operation/call.js';
import { createCallHandler } from './endpoints.js';
import type { Incoming, Reply } from './exchange.js';

type Handled = { status: number; body: unknown; headers?: Record<string, string> };

const caller = { tenantId: 'acme', clientId: 'shop' };
const known: Partial<CallOf<ErrorCode>> = { caller, expectItems: () => null };
const call = known as CallOf<ErrorCode>;

/** The answer of an operation whose handler returns this, to a request that the gates have admitted. */
function answerOf(
  name: OperationName,
  target: string,
  params: Record<string, string>,
  handled: Handled,
  ofCall = call,
) {
  const [resource = '', verb = ''] = name.split('.');
  const handlers = Object.fromEntries(allOperations.map((operation) => [operation.name.split('.')[0], {}]));
  handlers[resource] = { [verb]: async () => handled };
  const callHandler = createCallHandler(handlers as Handlers, { services: {}, keyring: {} as Keyring, atOnce: 1 });
  const operation = allOperations.find((one) => one.name === name) as Operation;
  const request = { req: { url: target, headers: {} } as Incoming, reply: {} as Reply, requireWanted() {}, params };
  return callHandler(operation, { ...request, body: Buffer.alloc(0) }, ofCall);
}

const command = allOperations.find(({ name }) => name === 'commands.get')?.route.responses[200] as unknown as {
  meta(): { example: { command_id: string } };
};
const { example } = command.meta();
const id = { command_id: example.command_id };
const commandAnswer = (handled: Handled, query = '', params: Record<string, string> = id) =>
  answerOf('commands.get', `/api/v1/open/downlink/commands/x${query}`, params, handled);

test('an answer that keeps the contract is sent, with its headers', async () => {
  const handled = { status: 200, body: example, headers: { Link: '<x>; rel="next"' } };
  expect(await commandAnswer(handled)).toEqual(handled);
});

test('an answer that breaks the contract is not sent', async () => {
  await expect(commandAnswer({ status: 200, body: { ...example, status: 'NONSENSE' } })).rejects.toThrow(/validation/i);
  await expect(commandAnswer({ status: 299, body: example })).rejects.toThrow('no answer 299');
});

test('a malformed id is a missing one, whatever else is wrong', async () => {
  const refused = commandAnswer({ status: 200, body: example }, '?nonsense=1', { command_id: 'x' });
  await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND', extra: {} });
});

test.each(['?nonsense=1', '?a=1?nonsense=1&nonsense=1'])('the query %s is refused field by field', async (query) => {
  const refused = commandAnswer({ status: 200, body: example }, query);
  await expect(refused).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    extra: {
      details: expect.arrayContaining([
        { location: 'query/nonsense', code: 'UNKNOWN_FIELD', message: 'is not a known field' },
      ]),
    },
  });
});

/** A handler that reads once and counts how many of a tenant are in it, or read, at a time. */
function counting(name: OperationName, query: string, requireWanted = () => {}) {
  const [resource = '', verb = ''] = name.split('.');
  const handlers = Object.fromEntries(allOperations.map((operation) => [operation.name.split('.')[0], {}]));
  const most = { inside: 0, reading: 0 };
  const now = { inside: 0, reading: 0 };
  const during = async <Result>(what: keyof typeof now, work: () => Promise<Result>) => {
    most[what] = Math.max(most[what], ++now[what]);
    await new Promise(setImmediate);
    const result = await work();
    now[what]--;
    return result;
  };
  const handle = (_: unknown, { asTenant }: CallOf<ErrorCode>) =>
    during('inside', () => asTenant(async () => ({ status: 200, body: example })));
  handlers[resource] = { [verb]: handle };
  const callHandler = createCallHandler(handlers as Handlers, { services: {}, keyring: {} as Keyring, atOnce: 3 });
  const operation = allOperations.find((one) => one.name === name) as Operation;
  const request = {
    req: { url: query, headers: {} } as Incoming,
    reply: {} as Reply,
    requireWanted,
    params: id,
    body: Buffer.alloc(0),
  };
  const asTenant: CallOf<ErrorCode>['asTenant'] = (work) => during('reading', () => work({} as never));
  const send = () => callHandler(operation, request, { ...call, asTenant });
  return { send, most };
}

test('three requests of a tenant are worked on at a time; those that wait for a change take turns to read', async () => {
  const ordinary = counting('commands.get', '/x');
  await Promise.all(Array.from({ length: 20 }, ordinary.send));
  expect(ordinary.most).toEqual({ inside: 3, reading: 3 });
  const waiting = counting('commands.get', '/x?wait_seconds=30');
  await Promise.all(Array.from({ length: 20 }, waiting.send));
  expect(waiting.most).toEqual({ inside: 20, reading: 3 });
});

test('what a client asked for that has gone meanwhile is not begun', async () => {
  const gone = counting('commands.get', '/x', () => {
    throw new Error('It has gone.');
  });
  await expect(gone.send()).rejects.toThrow('It has gone.');
  expect(gone.most.inside).toBe(0);
});

test('a page of a request that may wait counts before it is made', async () => {
  const counted: number[] = [];
  const expectItems = (items: number) => {
    counted.push(items);
    return new ApiError('RATE_LIMITED');
  };
  const body = { items: [example, example], next_cursor: null, request_id: 'x' };
  const page = () =>
    answerOf('events.list', '/x?wait_seconds=30&limit=500', {}, { status: 200, body }, { ...call, expectItems });
  await expect(page()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(counted).toEqual([2]);
});

test('a long page is validated in pieces, between which others run, and is the same page', async () => {
  const items = Array.from({ length: 500 }, () => example);
  let ticks = 0;
  const count = () => {
    ticks++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const body = { items, next_cursor: null, request_id: 'x' };
  const answer = await answerOf('commands.list', '/x', {}, { status: 200, body });
  clearImmediate(timer);
  expect(answer.body).toEqual(body);
  expect(ticks).toBeGreaterThanOrEqual(500 / 20);
});
