import type { ServerResponse } from 'node:http';
import { allOperations, type ErrorCode, type Operation } from '@tenant-open-platform/contract';
import { expect, test } from 'vitest';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import type { CallOf, Handlers, OperationName } from '../operation/call.js';
import { createCallHandler } from './endpoints.js';
import type { Incoming } from './exchange.js';

type Handled = { status: number; body: unknown; headers?: Record<string, string> };

/** The answer of an operation whose handler returns this, to a request that the gates have admitted. */
function answerOf(name: OperationName, target: string, params: Record<string, string>, handled: Handled) {
  const [resource = '', verb = ''] = name.split('.');
  const handlers = Object.fromEntries(allOperations.map((operation) => [operation.name.split('.')[0], {}]));
  handlers[resource] = { [verb]: async () => handled };
  const callHandler = createCallHandler(handlers as Handlers, {}, {} as Keyring);
  const operation = allOperations.find((one) => one.name === name) as Operation;
  const request = { req: { url: target, headers: {} } as Incoming, reply: {} as ServerResponse, params };
  return callHandler(operation, { ...request, body: undefined }, {} as CallOf<ErrorCode>);
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
