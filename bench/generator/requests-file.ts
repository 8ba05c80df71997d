import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { type Profile, sign } from '../sign.js';

const TARGET = '/api/v1/open/downlink/commands';
const REQUESTS_A_WRITE = 1_000;

/** The digits of the length before each request. */
const LENGTH_DIGITS = 4;

export type Requests = { count: number; timeoutSeconds?: number | undefined };

/**
 * Writes raw signed `commands.create` requests of the callers in turn, each with a unique nonce and idempotency key. Each is preceded by its
 * length. The signatures are valid for 300 seconds.
 */
export function writeRequests(
  file: string,
  profiles: Profile | readonly Profile[],
  { count, timeoutSeconds = 30 }: Requests,
): void {
  const senders = [profiles].flat() as Profile[];
  const run = randomUUID();
  const descriptor = openSync(file, 'w');
  let lines: string[] = [];
  for (let number = 1; number <= count; number++) {
    const request = signedRequest(senders[number % senders.length] as Profile, {
      vendor: 'vendor_a',
      device_id: `device-${number % 1000}`,
      command_type: 'reboot',
      payload: {},
      idempotency_key: `${run}-${number}`,
      timeout_seconds: timeoutSeconds,
    });
    lines.push(String(request.length).padStart(LENGTH_DIGITS, '0'), request);
    if (number % REQUESTS_A_WRITE > 0 && number < count) continue;
    writeSync(descriptor, lines.join(''), null, 'latin1');
    lines = [];
  }
  closeSync(descriptor);
}

function signedRequest(profile: Profile, command: object): string {
  const body = JSON.stringify(command);
  const headers = {
    Host: '127.0.0.1',
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...sign(profile, 'POST', TARGET, body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${TARGET} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

export function* readRequests(file: string): Generator<string> {
  const bytes = readFileSync(file);
  for (let start = 0; start < bytes.length; ) {
    const from = start + LENGTH_DIGITS;
    start = from + Number(bytes.toString('latin1', start, from));
    yield bytes.toString('latin1', from, start);
  }
}
