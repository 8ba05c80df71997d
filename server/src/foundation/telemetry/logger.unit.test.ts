import { Writable } from 'node:stream';
import { DrizzleQueryError } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createLogger } from './logger.js';

const SEALED = '\\x0274310a5ea1ed';
const PLAIN = 'osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf';

function logged(error: Error): string {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  createLogger('error', stream).error({ err: error }, 'failed');
  return text;
}

test('logs the text, code and location of a failed query, but no parameters and no values of the row', () => {
  const cause = Object.assign(new Error('value violates a constraint'), {
    code: '23514',
    detail: `Failing row contains (${SEALED}).`,
    parameters: [SEALED, PLAIN],
  });
  const error = new DrizzleQueryError(
    'insert into credentials values ($1)',
    [SEALED, `two\n    at lines ${PLAIN}`],
    cause,
  );
  const text = logged(new Error('The change failed.', { cause: error }));
  expect(text).not.toContain(PLAIN);
  expect(text).not.toContain('a5ea1ed');
  const { message, stack, cause: failedQuery } = JSON.parse(text).err;
  expect(message).toBe('The change failed.');
  expect(stack).toContain('logger.unit.test.ts');
  expect(failedQuery).toMatchObject({
    type: 'DrizzleQueryError',
    query: 'insert into credentials values ($1)',
    stack: expect.stringContaining('logger.unit.test.ts'),
    cause: { code: '23514', message: 'value violates a constraint' },
  });
});
