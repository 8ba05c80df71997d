import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_BODY_SHA256, headerPatterns, signatureHeaders, stringToSign, targetProblem } from './index.js';

type Accepted = {
  name: string;
  secret: string;
  client_id: string;
  timestamp: string;
  nonce: string;
  method: string;
  target: string;
  body: string | null;
  body_base64: string;
  body_sha256: string;
  string_to_sign: string;
  key_hex: string;
  signature_hex: string;
  x_api_signature: string;
};

type Rejected = {
  name: string;
  judge: 'target' | 'headers' | 'signature' | 'server';
  secret: string;
  method: string;
  target: string;
  headers: string[];
  body_base64: string;
  string_to_sign?: string;
};

const vectors: { accept: Accepted[]; reject: Rejected[] } = JSON.parse(
  readFileSync(new URL('../../vectors/vectors.json', import.meta.url), 'utf8'),
);

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex');
const bodyOf = (vector: { body_base64: string }) => Buffer.from(vector.body_base64, 'base64');

/** The values of the authentication headers, or null unless each is present exactly once and well-formed. */
function authentication(lines: string[]) {
  const read = (field: keyof typeof signatureHeaders) => {
    const prefix = `${signatureHeaders[field]}: `.toLowerCase();
    const values = lines
      .filter((line) => line.toLowerCase().startsWith(prefix))
      .map((line) => line.slice(prefix.length));
    return values.length === 1 && headerPatterns[field].test(values[0] ?? '') ? values[0] : undefined;
  };
  const [clientId, timestamp, nonce, signature] = [
    read('clientId'),
    read('timestamp'),
    read('nonce'),
    read('signature'),
  ];
  return clientId && timestamp && nonce && signature ? { clientId, timestamp, nonce, signature } : null;
}

/** The first judge that refuses, in the order of the server. */
function judge({ method, target, headers, secret, ...vector }: Rejected) {
  if (targetProblem(target)) return 'target';
  const sent = authentication(headers);
  if (!sent) return 'headers';
  const text = stringToSign({ method, target, ...sent, bodySha256: sha256(bodyOf(vector)) });
  return sent.signature === `v1=${hmac(Buffer.from(secret), text)}` ? 'server' : 'signature';
}

describe('golden vectors to accept', () => {
  it.each(vectors.accept)('$name: every step of the signature matches', (vector) => {
    const { method, target, client_id: clientId, timestamp, nonce, body_sha256: bodySha256 } = vector;
    expect(sha256(bodyOf(vector))).toBe(bodySha256);
    expect(Buffer.from(vector.body ?? bodyOf(vector))).toEqual(bodyOf(vector));
    expect(stringToSign({ method, target, clientId, timestamp, nonce, bodySha256 })).toBe(vector.string_to_sign);
    expect(Buffer.from(vector.key_hex, 'hex').toString('ascii')).toBe(vector.secret);
    expect(hmac(Buffer.from(vector.key_hex, 'hex'), vector.string_to_sign)).toBe(vector.signature_hex);
    expect(vector.x_api_signature).toBe(`v1=${vector.signature_hex}`);
  });

  it.each(vectors.accept)('$name: target and headers are accepted', (vector) => {
    expect(targetProblem(vector.target)).toBeNull();
    expect(vector.client_id).toMatch(headerPatterns.clientId);
    expect(vector.timestamp).toMatch(headerPatterns.timestamp);
    expect(vector.nonce).toMatch(headerPatterns.nonce);
    expect(vector.x_api_signature).toMatch(headerPatterns.signature);
  });

  it('are at least 30, each with a unique name and signature', () => {
    expect(vectors.accept.length).toBeGreaterThanOrEqual(30);
    expect(new Set(vectors.accept.map((vector) => vector.name)).size).toBe(vectors.accept.length);
    expect(new Set(vectors.accept.map((vector) => vector.signature_hex)).size).toBe(vectors.accept.length);
  });

  it.each([
    ['get', 'v1=f28b9007f866c900484b0a6f0ee87497aa3958adf57670f7d57058ecdafbdc71'],
    ['get-with-query', 'v1=ea88088e7ff3c8d8dc790ce7472b313152e66e0177d68be0e4d34462ce0877a0'],
  ])('%s is the test value that the documentation prints', (name, signature) => {
    expect(vectors.accept.find((vector) => vector.name === name)?.x_api_signature).toBe(signature);
  });
});

describe('golden vectors to reject', () => {
  it.each(vectors.reject)('$name: is refused by its judge and by no earlier one', (vector) => {
    expect(judge(vector)).toBe(vector.judge);
  });

  it.each(vectors.reject.filter((vector) => vector.judge === 'signature'))(
    '$name: the string to sign is the one of the sent request',
    ({ method, target, headers, ...vector }) => {
      const { clientId = '', timestamp = '', nonce = '' } = authentication(headers) ?? {};
      const bodySha256 = sha256(bodyOf(vector));
      expect(stringToSign({ method, target, clientId, timestamp, nonce, bodySha256 })).toBe(vector.string_to_sign);
    },
  );

  it.each(vectors.reject.filter((vector) => vector.judge === 'target'))('$name: only the target is wrong', (vector) => {
    const sent = authentication(vector.headers);
    const lines = ['HMAC-SHA256-V1', vector.method, vector.target, sent?.clientId, sent?.timestamp, sent?.nonce];
    const text = [...lines, sha256(bodyOf(vector))].join('\n');
    expect(sent?.signature).toBe(`v1=${hmac(Buffer.from(vector.secret), text)}`);
  });

  it('are at least 30, each with a unique name', () => {
    expect(vectors.reject.length).toBeGreaterThanOrEqual(30);
    expect(new Set(vectors.reject.map((vector) => vector.name)).size).toBe(vectors.reject.length);
  });
});

describe('stringToSign', () => {
  it('hashes the empty body to the constant', () => {
    expect(EMPTY_BODY_SHA256).toBe(sha256(Buffer.alloc(0)));
  });
});

const pathPart = fc.stringMatching(/^[A-Za-z0-9._~%/:;@!$&'()*+,=\\ #?-]{0,12}$/);
const wildTarget = fc
  .array(
    fc.oneof(pathPart, fc.constantFrom('/', '..', '.', '%2e', '//', '?', '&', '=', '%C3%A9', '%c3', '\u00e9', '\t')),
  )
  .map((parts) => `/api/v1/${parts.join('')}`);

const segment = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._~-]{0,12}$/);
const value = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9._~:,-]{1,8}$/),
      fc
        .string({ unit: 'binary', minLength: 1, maxLength: 4 })
        .filter((text) => !text.includes('\0'))
        .map(percentEncoded),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''));
const query = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), value, {
  minKeys: 1,
  maxKeys: 5,
  noNullPrototype: true,
});
const rightTarget = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 6 }), fc.option(query))
  .map(([segments, pairs]) => {
    const path = `/api/v1/${segments.join('/')}`;
    return pairs === null
      ? path
      : `${path}?${Object.entries(pairs)
          .map((pair) => pair.join('='))
          .join('&')}`;
  });

function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** A valid target with one part replaced. */
const almostRightTarget = fc
  .tuple(rightTarget, fc.nat(), fc.nat(3), pathPart)
  .map(([target, place, removed, inserted]) => {
    const at = place % (target.length + 1);
    return target.slice(0, at) + inserted + target.slice(at + removed);
  });

describe('targetProblem', () => {
  it('accepts every target built by the grammar', () => {
    fc.assert(fc.property(rightTarget, (target) => targetProblem(target) === null));
  });

  it('accepts only targets that a URL parser leaves unchanged and that decode to one text', () => {
    fc.assert(
      fc.property(fc.oneof(rightTarget, almostRightTarget, wildTarget), (target) => {
        if (targetProblem(target) !== null) return;
        const url = new URL(target, 'http://x');
        expect(url.pathname + url.search).toBe(target);
        expect(url.host + url.hash).toBe('x');
        const pairs = target.split('?')[1]?.split('&') ?? [];
        const decoded = pairs.map((pair) => pair.split('=').map(decodeURIComponent));
        expect([...url.searchParams]).toEqual(decoded);
        expect(new Set(url.searchParams.keys()).size).toBe(pairs.length);
      }),
      { numRuns: 5000 },
    );
  });

  it('says how to write a space, which form encoders write as a plus sign', () => {
    expect(targetProblem('/api/v1/open/events?command_id=a+b')).toContain('write %20 for a space');
  });

  it('accepts no target with a byte outside ASCII or a control character', () => {
    fc.assert(
      fc.property(rightTarget, fc.nat(), fc.stringMatching(/^[^!-~]$/u), (target, place, character) => {
        const at = place % (target.length + 1);
        expect(targetProblem(target.slice(0, at) + character + target.slice(at))).not.toBeNull();
      }),
    );
  });
});
