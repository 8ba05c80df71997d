import { expect, expectTypeOf, test } from 'vitest';
import { pipelined } from './pipelined.js';

/** A query as drizzle has it: it is sent when it is waited for. */
function queries() {
  const sent: string[] = [];
  const answers = new Map<string, { resolve: (rows: string) => void; reject: (error: Error) => void }>();
  const query = (name: string): PromiseLike<string> => {
    const answer = new Promise<string>((resolve, reject) => answers.set(name, { resolve, reject }));
    return {
      // biome-ignore lint/suspicious/noThenProperty: a query of drizzle has it.
      then(...handlers) {
        sent.push(name);
        return answer.then(...handlers);
      },
    };
  };
  return { sent, query, answer: (name: string) => answers.get(name) as NonNullable<ReturnType<typeof answers.get>> };
}

test('sends all statements in order before one is answered, each of them once', async () => {
  const { sent, query, answer } = queries();
  const all = pipelined(
    () => query('first'),
    async () => (await query('second')).length,
    () => query('third'),
    () => null,
  );
  await new Promise(setImmediate);
  expect(sent).toEqual(['first', 'second', 'third']);
  for (const name of ['third', 'second', 'first']) answer(name).resolve(`rows of ${name}`);
  expect(await all).toEqual(['rows of first', 14, 'rows of third', null]);
  expect(sent).toEqual(['first', 'second', 'third']);
  expectTypeOf(await all).toEqualTypeOf<[string, number, string, null]>();
});

test('throws the first error in the order of the statements, whichever fails first', async () => {
  const { query, answer } = queries();
  const all = pipelined(
    () => query('first'),
    () => query('second'),
    () => query('third'),
  );
  await new Promise(setImmediate);
  answer('third').reject(new Error('current transaction is aborted'));
  answer('second').reject(new Error('the cause'));
  answer('first').resolve('');
  await expect(all).rejects.toThrow('the cause');
});

test('a failure does not wait for the answers of later statements', async () => {
  const { query, answer } = queries();
  const all = pipelined(
    () => query('first'),
    () => query('never answered'),
  );
  await new Promise(setImmediate);
  answer('first').reject(new Error('the connection is lost'));
  await expect(all).rejects.toThrow('the connection is lost');
});
