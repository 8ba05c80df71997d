import { expect, test } from 'vitest';
import { ApiError } from '../foundation/api-error.js';
import { compilePayloadSchema, formats, validationDetails } from './payload-schema.js';

const compile = (schema: Record<string, unknown>) =>
  compilePayloadSchema(schema, (code, options) => new ApiError(code, options));

test.each([
  ['x'.repeat(200), 'x'.repeat(128)],
  [`x${'😀'.repeat(100)}`, `x${'😀'.repeat(63)}`],
  ['\u202ex', '?x'],
])('the name of a property that is not allowed is shown printable, and cut between characters: %j', (name, shown) => {
  const validate = compile({ additionalProperties: false });
  validate({ [name]: 1 });
  const message = `must NOT have additional properties (${shown})`;
  expect(validationDetails('body/payload', validate.errors)).toMatchObject([{ message }]);
});

const LENGTH = 32 * 1024;

/** Nearly valid strings that send a backtracking regular expression back and forth. */
const hostile = [
  ['http://', ':'],
  ['http://', 'a-'],
  ['http://', 'a.'],
  ['http://', '@:'],
  ['//', '%41'],
  ['', '/a'],
  ['', '~0/'],
  ['a@', 'a-'],
  ['a@', 'a.'],
  ['', 'a.'],
  ['P', '1'],
  ['00:00:00.', '0'],
  ['2026-01-01T00:00:00.', '0'],
  ['', 't'],
  ['{', 'a,'],
  ['', '{a}'],
  ['/', '~0'],
  ['', '1:'],
  ['', '('],
  ['', '(?<a>)'],
  ['', '\\1'],
  ['', '()\\1'],
  ['(?<a>)', '\\k<a>'],
  ['', 'a|'],
].map(([start = '', repeated = '']) => `${start}${repeated.repeat(LENGTH / repeated.length)} `);

test.each(formats)('the format %s checks a hostile string of 32 KiB in little time', (format) => {
  const validate = compile({ format });
  for (const value of hostile) {
    const before = process.cpuUsage();
    validate(value);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000, value.slice(0, 40)).toBeLessThan(300);
  }
});
