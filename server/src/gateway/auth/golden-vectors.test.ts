import { readFileSync } from 'node:fs';
import type { ErrorCode } from '@tenant-open-platform/contract';
import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { sendBytes, sendSignedBytes } from '../../../test/support/send-bytes.js';

type Vector = {
  name: string;
  code: ErrorCode;
  after_signature?: true;
  method: string;
  target: string;
  headers: string[];
  body_base64: string;
  string_to_sign?: string;
};

type AcceptedVector = Omit<Vector, 'code' | 'headers'> & {
  client_id: string;
  timestamp: string;
  nonce: string;
  x_api_signature: string;
};

const vectors: { accept: AcceptedVector[]; reject: Vector[] } = JSON.parse(
  readFileSync(new URL('../../../../contract/vectors/vectors.json', import.meta.url), 'utf8'),
);

const caller = (await createTenant()).operator;

const bodyOf = ({ body_base64 }: { body_base64: string }) => Buffer.from(body_base64, 'base64');

// Failed authentications of one client_id share a read of its row every 100 ms. In sequence they would be slow.
const sentAsTheyAre = vectors.reject.filter((vector) => !vector.after_signature);

test.concurrent.each(sentAsTheyAre)('refuses $name', async (vector) => {
  const answer = await sendBytes(caller, { ...vector, body: bodyOf(vector) });
  expectRefusal(answer, vector.code);
  expect(answer.body.metadata).toEqual(vector.string_to_sign && { string_to_sign: vector.string_to_sign });
});

test.concurrent.each(vectors.reject.filter((vector) => vector.after_signature))(
  'refuses $name, correctly signed',
  async (vector) => {
    const headers = vector.headers.filter((line) => !/^X-Api-/i.test(line));
    expectRefusal(await sendSignedBytes(caller, { ...vector, headers, body: bodyOf(vector) }), vector.code);
  },
);

test.concurrent.each(vectors.accept.filter(({ method }) => method !== 'HEAD'))(
  'computes the string to sign of $name',
  async (vector) => {
    const headers = [
      `X-Api-Id: ${vector.client_id}`,
      `X-Api-Timestamp: ${vector.timestamp}`,
      `X-Api-Nonce: ${vector.nonce}`,
      `X-Api-Signature: ${vector.x_api_signature}`,
    ];
    const answer = await sendBytes(caller, { ...vector, headers, body: bodyOf(vector) });
    expectRefusal(answer, 'UNAUTHENTICATED');
    expect(answer.body.metadata).toEqual({ string_to_sign: vector.string_to_sign });
  },
);

test.concurrent.each(vectors.accept)('verifies the signature of $name', async (vector) => {
  const headers = ['Content-Type: application/json'];
  const answer = await sendSignedBytes(caller, { ...vector, headers, body: bodyOf(vector) });
  expect(answer.body.code).not.toBe('INVALID_TARGET');
  expect(answer.status).not.toBe(401);
  expect(answer.status).toBeLessThan(500);
});
