import { acceptCases } from '../vectors/accept-cases.js';
import { hmacSha256, type RejectCase, type RequestCase, type Signing, sha256, usual } from '../vectors/cases.js';
import { rejectCases } from '../vectors/reject-cases.js';

const about = [
  'Golden vectors of the request signature HMAC-SHA256-V1.',
  'accept: requests with every intermediate step of their signature.',
  'reject: requests as they are sent, but for Host and Content-Length, and the error code of the answer.',
  'judge says which rule refuses it: target (grammar), headers (syntax, each exactly once), signature, or server.',
  'after_signature: only a live credential sees this code: sign the request anew with one of yours.',
  'body is null where the bytes of body_base64 are not UTF-8.',
];

/**
 * Written from the documentation and without src/signature, so that the vectors test that code instead of repeating it.
 */
export function renderVectors(): string {
  const vectors = { about, accept: acceptCases.map(acceptVector), reject: rejectCases.map(rejectVector) };
  return `${JSON.stringify(vectors, null, 2)}\n`;
}

function acceptVector(request: RequestCase) {
  const { name, why, secret, client_id, timestamp, nonce, method, target } = { ...usual, ...request };
  const { body, lines, hex } = signing(request);
  return {
    name,
    why,
    secret,
    client_id,
    timestamp,
    nonce,
    method,
    target,
    ...bodyFields(body),
    body_sha256: sha256(body),
    string_to_sign: lines.join('\n'),
    key_hex: Buffer.from(secret, 'ascii').toString('hex'),
    signature_hex: hex,
    x_api_signature: `v1=${hex}`,
  };
}

function rejectVector(request: RejectCase) {
  const { name, why, judge, code, after_signature, secret, method, target } = { ...usual, ...request };
  const right = signing(request);
  return {
    name,
    why,
    judge,
    code,
    after_signature,
    secret,
    method,
    target,
    headers: sentHeaders(request, right),
    ...bodyFields(right.body),
    string_to_sign: judge === 'signature' ? right.lines.join('\n') : undefined,
  };
}

function signing(request: RequestCase): Signing {
  const { secret, client_id, timestamp, nonce, method, target, body } = { ...usual, ...request };
  const bytes = Buffer.from(body);
  const lines = ['HMAC-SHA256-V1', method, target, client_id, timestamp, nonce, sha256(bytes)];
  return { lines, secret, hex: hmacSha256(secret, lines.join('\n')), body: bytes };
}

function sentHeaders(request: RejectCase, right: Signing): string[] {
  const { client_id, timestamp, nonce } = { ...usual, ...request };
  const headers = [
    `X-Api-Id: ${client_id}`,
    `X-Api-Timestamp: ${timestamp}`,
    `X-Api-Nonce: ${nonce}`,
    `X-Api-Signature: ${request.signature?.(right) ?? `v1=${right.hex}`}`,
  ];
  if (right.body.length > 0) headers.push('Content-Type: application/json');
  return request.headers?.(headers) ?? headers;
}

function bodyFields(bytes: Buffer): { body: string | null; body_base64: string } {
  const text = bytes.toString('utf8');
  return { body: Buffer.from(text).equals(bytes) ? text : null, body_base64: bytes.toString('base64') };
}
