import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type Slice = { requestsPerSecond: number; p50Ms: number; p99Ms: number };

type Load = { baseUrl: string; connections: number; durationMs: number; nextRequest: () => string };

/** Keeps one request in flight on every connection for the duration. Every answer must be 202. */
export async function applyLoad({ baseUrl, connections, durationMs, nextRequest }: Load): Promise<Slice> {
  const { hostname, port } = new URL(baseUrl);
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setNoDelay());
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const latencies: number[] = [];
  const start = performance.now();
  await Promise.all(sockets.map((socket) => keepAsking(socket, start + durationMs, nextRequest, latencies)));
  const elapsed = performance.now() - start;
  for (const socket of sockets) socket.destroy();
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.ceil(q * latencies.length) - 1] ?? Number.NaN;
  return { requestsPerSecond: (1000 * latencies.length) / elapsed, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

function keepAsking(socket: Socket, until: number, nextRequest: () => string, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    let sentAt = 0;
    const send = () => {
      received = '';
      sentAt = performance.now();
      socket.write(nextRequest(), 'latin1');
    };
    socket.setEncoding('latin1').on('error', reject);
    socket.on('close', () => reject(new Error(`The server closed the connection. ${received}`)));
    socket.on('data', (text: string) => {
      received += text;
      if (!isWholeAnswer(received)) return;
      const now = performance.now();
      latencies.push(now - sentAt);
      if (!received.startsWith('HTTP/1.1 202 ')) reject(new Error(`The answer is not 202:\n${received}`));
      else if (now < until) send();
      else resolve();
    });
    send();
  });
}

function isWholeAnswer(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received.slice(0, headEnd + 2));
  if (!length) throw new Error(`The answer has no Content-Length:\n${received}`);
  return received.length >= headEnd + 4 + Number(length[1]);
}
