import { randomUUID } from 'node:crypto';
import { type Profile, sign } from '@tenant-open-platform/testing';
import { COMMANDS } from './commands.js';

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32), so that a failure can be repeated. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;

/** Raw requests: valid, invalid, pipelined, and with randomly changed bytes. */
export function hostileRequests(caller: Profile, random: () => number): () => Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const signature = (method: string, target: string, body?: string) =>
    Object.entries(sign(caller, method, target, { body: body && Buffer.from(body) })).map((pair) => pair.join(': '));

  const post = (body: string, ...lines: string[]) =>
    head(
      `POST ${COMMANDS} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      ...signature('POST', COMMANDS, body),
      ...lines,
    );
  const command = () =>
    JSON.stringify({
      vendor: 'vendor_a',
      device_id: 'd-1',
      command_type: 'reboot',
      payload: {},
      idempotency_key: randomUUID(),
    });
  const get = (target: string, ...lines: string[]) => head(`GET ${target} HTTP/1.1`, 'Host: localhost', ...lines);

  const kinds: Array<() => string> = [
    () => get(oneOf(['/', '/livez', '/readyz', '/metrics', '/openapi.json', '/nothing', '/api/v1/open/me', '*'])),
    () => get('/api/v1/open/me', ...signature('GET', '/api/v1/open/me')),
    () => get('/api/v1/open/me', ...signature('GET', '/api/v1/open/nothing')),
    () => get(`${COMMANDS}?limit=5`, ...signature('GET', `${COMMANDS}?limit=5`)),
    () => {
      const target = '/api/v1/open/device-requests?wait_seconds=1';
      return get(target, ...signature('GET', target));
    },
    () => {
      const body = command();
      return post(body, `Content-Length: ${body.length + below(3) - 1}`) + body;
    },
    () => {
      const body = command();
      const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      return post(body, 'Transfer-Encoding: chunked') + chunked;
    },
    () => post('', `Content-Length: ${1_000_000}`) + 'a'.repeat(below(200_000)),
    () => post('', 'Expect: 100-continue', 'Content-Length: 10'),
    () => get('/livez', 'Expect: coffee'),
    () => head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443') + '\x16\x03\x01'.repeat(below(100)),
    () => get('/', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='),
    () => get('/', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk') + get('/livez'),
    () => head(`${oneOf(['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'FROB', 'PRI'])} /livez HTTP/1.1`, 'Host: localhost'),
    () => head(`GET /livez HTTP/${oneOf(['0.9', '1.0', '2.0', '3'])}`),
    () => get('/livez', `X-Padding: ${'a'.repeat(below(20_000))}`),
    () => String.fromCharCode(...Array.from({ length: below(500) }, () => below(256))),
  ];

  function changed(bytes: Buffer): Buffer {
    for (let count = below(4); count > 0 && bytes.length > 0; count--) bytes[below(bytes.length)] = below(256);
    return bytes;
  }

  return () => {
    const count = oneOf([1, 1, 1, 1, 2, 3, 30]);
    const bytes = Buffer.from(Array.from({ length: count }, () => oneOf(kinds)()).join(''), 'latin1');
    return random() < 0.2 ? changed(bytes) : bytes;
  };
}
