import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { presignedUrl } from './presigned-url.js';

const CASES = 200;

const script = fileURLToPath(new URL('../../../test/support/presign-with-botocore.py', import.meta.url));

const text = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('');

const bucket = fc.record({
  endpoint: fc.constantFrom(
    'https://objects.example.com',
    'https://s3.eu-central-1.amazonaws.com',
    'https://objects.example.com:9000',
    'http://localhost:9000',
    'http://minio',
  ),
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'auto'),
  forcePathStyle: fc.boolean(),
  bucket: text(LETTERS, 3, 20),
  accessKeyId: text(PRINTABLE, 1, 40),
  secretAccessKey: text(PRINTABLE, 1, 60),
  sessionToken: fc.option(text(PRINTABLE, 1, 200)),
});

const segment = fc.oneof(
  text(`${LETTERS} +%&=?#'()*!~:@,;|"<>[]{}^\`$._-`, 1, 30),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 15 }).map((any) => any.replaceAll('/', '')),
);
/** A key with `.` or `..` as a segment is refused before signing. */
const key = fc
  .array(
    segment.filter((name) => !/^\.{1,2}$/.test(name)),
    { minLength: 1, maxLength: 4 },
  )
  .map((segments) => `k/${segments.join('/')}`);

const request = fc.oneof(
  fc.record({
    method: fc.constant('PUT' as const),
    headers: fc
      .record(
        {
          'Content-Type': fc.constantFrom('image/png', 'text/plain; charset=utf-8', 'application/vnd.acme+json;v=1'),
          'Content-Length': fc.nat({ max: 5 * 1024 ** 3 }).map(String),
          'X-Amz-Checksum-Sha256': fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toBase64),
        },
        { requiredKeys: ['Content-Type', 'Content-Length'] },
      )
      .map((headers) => headers as Record<string, string>),
    query: fc.constant({}),
  }),
  fc.record({
    method: fc.constant('GET' as const),
    headers: fc.constant({}),
    query: fc
      .option(text(`${PRINTABLE} `, 1, 80))
      .map(
        (disposition): Record<string, string> =>
          disposition === null ? {} : { 'response-content-disposition': disposition },
      ),
  }),
);

const cases = fc.record({
  bucket,
  key,
  request,
  signedAt: fc.date({ min: new Date('2013-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
  expiresInSeconds: fc.integer({ min: 1, max: 604_800 }),
});

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

const pathOf = (url: string) => url.slice(0, url.indexOf('?'));
const signatureOf = (url: string) => new URL(url).searchParams.get('X-Amz-Signature');

test(`botocore computes the same signature for the same request in ${CASES} generated cases`, async () => {
  const generated = fc.sample(cases, CASES);
  const input = generated.map(({ bucket, request, ...rest }) => ({ ...bucket, ...request, ...rest }));
  // Debian's Python has Debian's botocore, whatever else is in the path.
  const output = execFileSync('/usr/bin/python3', [script], { input: JSON.stringify(input), encoding: 'utf8' });
  const urls: string[] = JSON.parse(output);
  expect(urls).toHaveLength(CASES);
  for (const [index, { bucket, request, ...rest }] of generated.entries()) {
    const [own = '', theirs = ''] = [await presignedUrl(bucket, { ...request, ...rest }), urls[index]];
    const told = JSON.stringify(input[index]);
    expect(pathOf(own), told).toBe(pathOf(theirs));
    expect(signatureOf(own), told).toMatch(/^[0-9a-f]{64}$/);
    expect(signatureOf(own), told).toBe(signatureOf(theirs));
  }
  expect(new Set(urls.map(signatureOf)).size).toBe(CASES);
});
