import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import { refuseUndeclaredCode } from './declared-codes.js';
import type { Profile } from './profile.js';

type SigningOptions = {
  /** A Buffer is sent unchanged, any other value as JSON. */
  body?: unknown;
  /** Unix time in seconds. */
  timestamp?: number | string;
  nonce?: string;
};

export type RequestOptions = SigningOptions & {
  /** Sent in place of the correct signature. */
  signature?: string;
  /** These replace the default headers, whatever their case; an array repeats the header, undefined omits it. */
  headers?: Record<string, string | string[] | undefined>;
  /** Base URL of the server to call, in place of the profile's. */
  node?: string;
};

export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Parsed if the answer is JSON, otherwise its text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
  raw: string;
};

/** Gives a connection up before the server does, which keeps it for 65 seconds. */
const agent = new Agent({ keepAlive: true, timeout: 30_000 });

const toBytes = (body: unknown): Buffer => {
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
};

/** The four authentication headers, written from the documentation alone, without code of the contract or the SDK. */
export function sign(
  profile: Pick<Profile, 'client_id' | 'secret'>,
  method: string,
  target: string,
  { body, timestamp = Math.floor(Date.now() / 1000), nonce = randomUUID() }: SigningOptions = {},
): Record<string, string> {
  const bodyHash = createHash('sha256').update(toBytes(body)).digest('hex');
  const text = ['HMAC-SHA256-V1', method, target, profile.client_id, timestamp, nonce, bodyHash].join('\n');
  return {
    'X-Api-Id': profile.client_id,
    'X-Api-Timestamp': String(timestamp),
    'X-Api-Nonce': nonce,
    'X-Api-Signature': `v1=${createHmac('sha256', profile.secret).update(text).digest('hex')}`,
  };
}

/** What waits for a connection to Postgres or for its turn is refused after 5 seconds at the earliest. */
const STALLED_MS = 4_000;

/** This refusal of a command comes at once: the relay was behind. */
const OVERLOAD = /Commands of the tenant currently wait/;

/**
 * Sends one request, correct or deliberately wrong. While the machine stalls, the servers that all test files share
 * refuse some requests with 503 and Retry-After. Such a request is sent again with another nonce, as clients do. One with
 * a given nonce, or to another server, is not.
 */
export async function signedRequest(
  profile: Profile,
  method: string,
  target: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const isShared = () => inject('platform')?.nodes.includes(options.node ?? profile.base_url);
  for (;;) {
    const sentAt = performance.now();
    const answer = await sendOnce(profile, method, target, options);
    // As the SDK does: a generation of the database begins with the next whole second.
    if (answer.body?.metadata?.signed_not_before && options.timestamp === undefined) {
      await delay(100);
      continue;
    }
    const seconds = Number(answer.headers['retry-after']);
    if (answer.status !== 503 || !seconds || options.nonce !== undefined || !isShared()) return answer;
    if (performance.now() - sentAt < STALLED_MS && !OVERLOAD.test(answer.raw)) return answer;
    await delay(seconds * 1_000);
  }
}

async function sendOnce(profile: Profile, method: string, target: string, options: RequestOptions): Promise<Answer> {
  const body = toBytes(options.body);
  const base = new URL(options.node ?? profile.base_url);
  const headers: OutgoingHttpHeaders = {
    ...(options.body !== undefined && { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
    ...sign(profile, method, target, options),
    ...(options.signature !== undefined && { 'X-Api-Signature': options.signature }),
  };
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    for (const sent of Object.keys(headers)) {
      if (sent.toLowerCase() === name.toLowerCase()) delete headers[sent];
    }
    if (value !== undefined) headers[name] = value;
  }
  const path = base.pathname.replace(/\/$/, '') + target;
  const sending = request({ host: base.hostname, port: base.port, method, path, headers, agent });
  // The server may close the connection after answering a refused request: that is no failure, and must not end the
  // process.
  sending.on('error', () => {});
  sending.end(body);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  let raw = '';
  for await (const text of response) raw += text;
  const answer = { status: response.statusCode ?? 0, headers: response.headers, body: readBody(response, raw), raw };
  refuseUndeclaredCode(method, target, answer);
  return answer;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
function readBody(response: IncomingMessage, raw: string): any {
  const isJson = /^application\/([a-z.]+\+)?json\b/.test(response.headers['content-type'] ?? '');
  return isJson && raw !== '' ? JSON.parse(raw) : raw;
}
