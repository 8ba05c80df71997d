import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './parse-json.js';

const problemOf = (bytes: Buffer) => {
  const parsed = parseJson(bytes);
  return 'problem' in parsed ? parsed.problem : null;
};
const scan = (text: string) => problemOf(Buffer.from(text));

const accepted = [
  'null',
  'true',
  'false',
  '"text"',
  '0',
  '{}',
  '[]',
  ' \t\r\n{ "a" : [ 1 , 2 ] , "b" : { } } \n',
  '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
  '{"":1}',
  '{"a":1,"A":2}',
  '{"proto":1,"__proto":2,"constructor":3,"prototype":4,"toString":5}',
  '{"value":"__proto__"}',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\uABCD"',
  '"\\ud83d\\ude00 \\uD83D\\uDE00"',
  '"\\ud83d\\ude00\\ud83d\\ude00"',
  '"\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\u{10000}\u{10ffff}"',
  '{"\u00e9":1,"e\u0301":2}',
  '"\\\\u0000"',
  `${'['.repeat(32)}${']'.repeat(32)}`,
  `${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`,
];

const keptNumbers = [
  '0',
  '-1',
  '0.0',
  '0e5',
  '0E-99999999999999999999',
  '1.0',
  '1.10',
  '1e3',
  '1E+3',
  '1e-3',
  '-1.5e-7',
  '0.1',
  '0.000001',
  '0.30000000000000004',
  '3.141592653589793',
  '100.0000000000000000000000000000',
  '999999999999999',
  '9007199254740991',
  '-9007199254740991',
  '9007199254740991.0',
  '9.007199254740991e15',
  '1e21',
  '1.2345678901234567e+24',
  '12345678901234567E8',
  '1.7976931348623157e308',
  '5e-324',
  '2.2250738585072014e-308',
  '4.9e-324',
  '-0',
  '-0.0',
  '-0e5',
  '21.300000000000001',
  '0.79999999999999993',
  '9007199254740990.5',
];

const changedNumbers = [
  ['9007199254740992', 'integer'],
  ['-9007199254740992', 'integer'],
  ['9007199254740993', 'integer'],
  ['9007199254740993.0', 'integer'],
  ['100000000000000000000', 'integer'],
  ['1e20', 'integer'],
  ['1000000000000000000000', 'integer'],
  ['1000000000000000000001', 'integer'],
  ['1234567890123456700000000', 'integer'],
  ['-1234567890123456700000000', 'integer'],
  ['1234567890123456700000000.0', 'integer'],
  ['3.1415926535897932384', 'more than 17'],
  ['0.1000000000000000055511151231257827', 'more than 17'],
  ['123456789.123456789', 'more than 17'],
  ['1.00000000000000000001', 'more than 17'],
  ['9007199254740991.5', 'integer'],
  ['1e309', 'too large'],
  ['-1.7976931348623159e308', 'too large'],
  ['1e99999999999999999999', 'too large'],
  ['2e-324', 'too small'],
  ['-2e-324', 'too small'],
  ['1e-99999999999999999999', 'too small'],
];

const refused: [text: string, location: string, message: string][] = [
  ['', 'body', 'expected a value, but the body ends (byte 0)'],
  ['  ', 'body', 'expected a value, but the body ends (byte 2)'],
  ['\ufeff{}', 'body', 'a byte order mark is not allowed (byte 0)'],
  ['{} {}', 'body', 'expected the end (byte 3)'],
  ['{}\0', 'body', 'expected the end (byte 2)'],
  ['\u00a0{}', 'body', 'expected a value (byte 0)'],
  ['nul', 'body', 'expected a value (byte 0)'],
  ['True', 'body', 'expected a value (byte 0)'],
  ['trUe', 'body', 'expected a value (byte 0)'],
  ['fals3', 'body', 'expected a value (byte 0)'],
  ['nullx', 'body', 'expected the end (byte 4)'],
  ['NaN', 'body', 'expected a value (byte 0)'],
  ['Infinity', 'body', 'expected a value (byte 0)'],
  ["{'a':1}", 'body', 'expected a name in double quotes (byte 1)'],
  ['{a:1}', 'body', 'expected a name in double quotes (byte 1)'],
  ['{"a":1,}', 'body', 'expected a name in double quotes (byte 7)'],
  ['{,}', 'body', 'expected a name in double quotes (byte 1)'],
  ['{', 'body', 'expected a name in double quotes, but the body ends (byte 1)'],
  ['{"a"}', 'body/a', 'expected a colon (byte 4)'],
  ['{"a":}', 'body/a', 'expected a value (byte 5)'],
  ['{"a":1 "b":2}', 'body/a', 'expected a comma or } (byte 7)'],
  ['{"a":1]', 'body/a', 'expected a comma or } (byte 6)'],
  ['[1,]', 'body/1', 'expected a value (byte 3)'],
  ['[1 2]', 'body/0', 'expected a comma or ] (byte 3)'],
  ['[1}', 'body/0', 'expected a comma or ] (byte 2)'],
  ['[1', 'body/0', 'expected a comma or ], but the body ends (byte 2)'],
  [']', 'body', 'expected a value (byte 0)'],
  ['[//\n1]', 'body/0', 'expected a value (byte 1)'],
  ['"a', 'body', 'expected a closing quote, but the body ends (byte 2)'],
  ['"a\\"', 'body', 'expected a closing quote, but the body ends (byte 4)'],
  ['"a\\', 'body', 'not a JSON escape (byte 2)'],
  ['"\\x41"', 'body', 'not a JSON escape (byte 1)'],
  ['"\\v"', 'body', 'not a JSON escape (byte 1)'],
  ['"\\u00g0"', 'body', '\\u needs four hex digits (byte 1)'],
  ['"\\u00', 'body', '\\u needs four hex digits (byte 1)'],
  ['"a\nb"', 'body', 'a control character must be escaped (byte 2)'],
  ['"\0"', 'body', 'a control character must be escaped (byte 1)'],
  ['"\x1f"', 'body', 'a control character must be escaped (byte 1)'],
  ['+1', 'body', 'expected a value (byte 0)'],
  ['.5', 'body', 'expected a value (byte 0)'],
  ['-', 'body', 'not a JSON number (byte 0)'],
  ['-a', 'body', 'not a JSON number (byte 0)'],
  ['1.', 'body', 'not a JSON number (byte 0)'],
  ['1.e3', 'body', 'not a JSON number (byte 0)'],
  ['1e', 'body', 'not a JSON number (byte 0)'],
  ['1e+', 'body', 'not a JSON number (byte 0)'],
  ['01', 'body', 'not a JSON number (byte 0)'],
  ['-01', 'body', 'not a JSON number (byte 0)'],
  ['0x10', 'body', 'expected the end (byte 1)'],
  ['{"payload":{"speed":1,"speed":2}}', 'body/payload/speed', 'the name is repeated (byte 22)'],
  ['{"a":1,"b":2,"a":1}', 'body/a', 'the name is repeated (byte 13)'],
  ['{"a":1,"\\u0061":2}', 'body/a', 'the name is repeated (byte 7)'],
  ['{"\u00e9":1,"\\u00E9":2}', 'body/\u00e9', 'the name is repeated (byte 8)'],
  ['{"\u{1f600}":1,"\\ud83d\\ude00":2}', 'body/\u{1f600}', 'the name is repeated (byte 10)'],
  ['{"a":[{"b":1}],"c":{"d":[]},"a":1}', 'body/a', 'the name is repeated (byte 28)'],
  ['[[],{},x]', 'body/2', 'expected a value (byte 7)'],
  ['{"":1,"":2}', 'body/', 'the name is repeated (byte 6)'],
  ['[{"a/b~c":[0,{"x":1,"x":2}]}]', 'body/0/a~1b~0c/1/x', 'the name is repeated (byte 20)'],
  ['{"__proto__":1}', 'body/__proto__', 'the name __proto__ is not allowed (byte 1)'],
  ['{"a":{"\\u005f_proto_\\u005F":{}}}', 'body/a/__proto__', 'the name __proto__ is not allowed (byte 6)'],
  ['{"a":"\\u0000"}', 'body/a', 'NUL is not allowed (byte 6)'],
  ['{"a\\u0000":1}', 'body', 'NUL is not allowed (byte 3)'],
  ['["\\ud83d"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\ude00"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\ude00\\ud83d"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\ud83d\\ud83d\\ude00"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\ud83d\\u0041"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\ud800"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\udfff"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\udc00\\udc00"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\ud83d\\ue000"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\ud83dx"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['["\\ud83d\\n"]', 'body/0', 'a lone surrogate is not text (byte 2)'],
  ['{"\\ud83d":1}', 'body', 'a lone surrogate is not text (byte 2)'],
  [`${'['.repeat(33)}${']'.repeat(33)}`, `body${'/0'.repeat(32)}`, 'nested deeper than 32 levels (byte 32)'],
  [`${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`, `body${'/a'.repeat(32)}`, 'nested deeper than 32 levels (byte 160)'],
];

const notUtf8 = [
  '80',
  'bf',
  'c0 80',
  'c1 bf',
  'c3',
  'c3 28',
  'e0 80 80',
  'e0 9f bf',
  'e2 82',
  'e2 28 a1',
  'ed a0 80',
  'ed bf bf',
  'f0 80 80 80',
  'f0 8f bf bf',
  'f0 9f 98',
  'f4 90 80 80',
  'f5 80 80 80',
  'fe',
  'ff',
];

describe('parseJson', () => {
  it.each(accepted)('accepts %j', (text) => {
    expect(scan(text)).toBeNull();
    expect(parseJson(Buffer.from(text))).toEqual({ value: JSON.parse(text) });
  });

  it.each(keptNumbers)('accepts %s, which keeps its value', (text) => {
    expect(scan(`{"a":[${text}]}`)).toBeNull();
  });

  it.each(changedNumbers)('refuses %s, which would not keep its value: %s', (text, reason) => {
    const problem = scan(`{"a":[${text}]}`);
    expect(problem?.location).toBe('body/a/0');
    expect(problem?.message).toContain(reason);
    expect(problem?.message).toContain('(byte 6)');
  });

  it.each(refused)('refuses %j at %s', (text, location, message) => {
    expect(scan(text)).toEqual({ location, message });
    expect(parseJson(Buffer.from(text))).toEqual({ problem: { location, message } });
  });

  it.each(notUtf8)('refuses the bytes %s, which are not UTF-8', (hex) => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":"b'),
      Buffer.from(hex.replaceAll(' ', ''), 'hex'),
      Buffer.from('"}'),
    ]);
    expect(problemOf(bytes)).toEqual({
      location: 'body/a',
      message: 'expected a closing quote, but these bytes are not UTF-8 (byte 7)',
    });
  });

  it.each([
    ['{"a":"\u00e9"}', 10, 'body', 'expected the end, but these bytes are not UTF-8 (byte 10)'],
    ['{"\ufffd":[0]}', 9, 'body/\ufffd/0', 'expected a comma or ], but these bytes are not UTF-8 (byte 9)'],
  ])('refuses a byte that is not UTF-8 in any place: %s at byte %i', (text, at, location, message) => {
    const whole = Buffer.from(text);
    const bytes = Buffer.concat([whole.subarray(0, at), Buffer.from([0xff]), whole.subarray(at)]);
    expect(problemOf(bytes)).toEqual({ location, message });
  });

  it('names another part than the body', () => {
    expect(parseJson(Buffer.from('{"a":[1,{"b":'), 'payload')).toEqual({
      problem: { location: 'payload/a/1/b', message: 'expected a value, but the payload ends (byte 13)' },
    });
  });

  it('refuses 60,000 open brackets without running out of stack', () => {
    expect(scan('['.repeat(60_000))?.message).toBe('nested deeper than 32 levels (byte 32)');
  });

  it('takes linear time for a number of 64 KiB', () => {
    const before = process.cpuUsage();
    expect(scan(`1.${'0'.repeat(65_000)}1`)?.message).toContain('more than 17');
    expect(scan(`1.${'0'.repeat(65_000)}`)).toBeNull();
    // Quadratic time is more than 3 seconds.
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

const ordinary = (value: unknown): boolean => {
  if (typeof value === 'number') {
    return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21;
  }
  if (typeof value !== 'object' || value === null) return true;
  return !Object.hasOwn(value, '__proto__') && Object.values(value).every(ordinary);
};

const ordinaryJson = fc
  .jsonValue({ maxDepth: 5, stringUnit: 'binary' })
  .filter(ordinary)
  .map((value) => JSON.stringify(value))
  .filter((text) => !text.includes('\\u0000'));

const fragment = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '"a":',
    '"b"',
    '\\u',
    '\\ud83d',
    '\\ude00',
    '0',
    '-',
    '1',
    '.',
    'e',
    '+',
  ],
  ...[' ', '\n', 'true', 'null', '\0', '\u00e9', '__proto__', '1e999', '\u2028', '\x7f'],
);

const almostJson = fc.oneof(
  fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.tuple(ordinaryJson, fc.nat(), fc.nat(3), fragment).map(([text, place, removed, inserted]) => {
    const bytes = Buffer.from(text);
    const at = place % (bytes.length + 1);
    return `${bytes.subarray(0, at)}${inserted}${bytes.subarray(at + removed)}`;
  }),
);

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('parseJson, for any input', () => {
  it('accepts everything that JSON.stringify writes for an ordinary value, and parses it to the same value', () => {
    fc.assert(
      fc.property(ordinaryJson, (text) => {
        expect(parseJson(Buffer.from(text))).toEqual({ value: JSON.parse(text) });
      }),
      { numRuns: 2000 },
    );
  });

  it('accepts nothing that JSON.parse refuses', () => {
    fc.assert(
      fc.property(almostJson, (text) => parses(text) || scan(text) !== null),
      { numRuns: 20_000 },
    );
  });

  it('accepts only JSON that keeps its value when it is parsed and printed again', () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        fc.pre(scan(text) === null);
        const printed = JSON.stringify(JSON.parse(text));
        expect(scan(printed)).toBeNull();
        // -0 is printed as 0, once.
        expect(JSON.stringify(JSON.parse(printed))).toBe(printed);
      }),
      { numRuns: 2000 },
    );
  });

  it('accepts every double that JSON.stringify prints without an unsafe integer', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }).filter(ordinary), (value) => {
        expect(scan(JSON.stringify(value))).toBeNull();
      }),
      { numRuns: 5000 },
    );
  });

  it('accepts every double as C prints it with 17 digits, and reads the same double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }).filter(ordinary), (value) => {
        expect(parseJson(Buffer.from(value.toPrecision(17)))).toEqual({ value: Number(value.toPrecision(17)) });
        expect(Number(value.toPrecision(17))).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 5000 },
    );
  });

  it('agrees with exact decimal arithmetic on which numbers are the double that they name', () => {
    const digits = fc.stringMatching(/^[0-9]{1,20}$/);
    const number = fc.tuple(digits, digits, fc.integer({ min: -330, max: 310 }));
    fc.assert(
      fc.property(number, ([whole, fraction, exponent]) => {
        const text = `${BigInt(whole)}.${fraction}e${exponent}`;
        const value = Number(text);
        const digits = String(BigInt(whole + fraction)).replace(/0+$/, '').length;
        const isLost = !Number.isFinite(value) || digits > 17 || (value === 0 && digits > 0);
        expect(scan(text) === null).toBe(!isLost && ordinary(value));
      }),
      { numRuns: 5000 },
    );
  });

  it('never throws for any bytes, and accepts only UTF-8', () => {
    const mutated = fc
      .tuple(ordinaryJson, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }))
      .map(([text, changes]) => {
        const bytes = Buffer.from(text);
        for (const [place, byte] of changes) bytes[place % bytes.length] = byte;
        return bytes;
      });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array().map(Buffer.from)), (bytes) => {
        const answer = parseJson(bytes);
        if ('problem' in answer) return;
        expect(answer.value).toEqual(
          JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)),
        );
      }),
      { numRuns: 10_000 },
    );
  });
});
