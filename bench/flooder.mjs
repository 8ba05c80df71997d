// Floods the platform from 127.0.0.2 until it is killed: node flooder.mjs <port> <connections of each kind>
import { connect } from 'node:net';

const [port, connections] = process.argv.slice(2).map(Number);
const head = (...lines) => `${lines.join('\r\n')}\r\n\r\n`;
const get = (path, ...lines) => head(`GET ${path} HTTP/1.1`, 'Host: localhost', ...lines);

const wrongSignature = () =>
  get(
    '/api/v1/open/me',
    'X-Api-Id: demo-client',
    `X-Api-Timestamp: ${Math.floor(Date.now() / 1000)}`,
    `X-Api-Nonce: ${Math.random().toString(36).slice(2).padEnd(12, '0')}`,
    `X-Api-Signature: v1=${'0'.repeat(64)}`,
  );
const endlessBody = head('POST /api/v1/open/downlink/commands HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked');
const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;

/** The bytes that a connection sends first, after every answer, and whenever the socket has room. */
const kinds = {
  readyz: { first: () => get('/readyz'), again: () => get('/readyz') },
  metrics: { first: () => get('/metrics'), again: () => get('/metrics') },
  pipelined: { first: () => get('/metrics').repeat(1_000) },
  wrongSignatures: { first: wrongSignature, again: wrongSignature },
  halfHeaders: { first: () => 'GET / HTTP/1.1\r\nHost: local' },
  endlessBodies: { first: () => endlessBody, whenever: () => chunk },
};

const opened = {};
const answered = {};

function flood(kind) {
  const { first, again, whenever } = kinds[kind];
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2', noDelay: true });
  const push = () => {
    while (whenever && socket.writable && socket.write(whenever()));
  };
  socket.on('error', () => {});
  socket.on('connect', () => {
    opened[kind] = (opened[kind] ?? 0) + 1;
    socket.write(first());
    push();
  });
  socket.on('drain', push);
  socket.on('data', (bytes) => {
    if (!bytes.includes('HTTP/1.1 ')) return;
    answered[kind] = (answered[kind] ?? 0) + 1;
    if (again) socket.write(again());
  });
  socket.on('close', () => setImmediate(flood, kind));
}

for (const kind of Object.keys(kinds)) {
  for (let count = 0; count < connections; count++) flood(kind);
}
process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify({ opened, answered })}\n`, () => process.exit(0));
});
