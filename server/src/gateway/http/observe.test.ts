import { connect } from 'node:net';
import { sign, startNode } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';

const ABANDONED = /^top_request_duration_seconds_count\{operation="none",status="499"\} (\d+)$/m;

test('counts a request whose caller disconnected before the answer as 499', async () => {
  // Other tests add to the counters of the shared server.
  const server = await startNode();
  const { demo } = server;
  const abandoned = async () => {
    const metrics = await (await fetch(`${demo.base_url}/metrics`)).text();
    return Number(ABANDONED.exec(metrics)?.[1] ?? 0);
  };
  const target = '/api/v1/open/downlink/commands';
  const headers = Object.entries(sign(demo, 'POST', target)).map((pair) => `${pair.join(': ')}\r\n`);
  const { hostname, port } = new URL(demo.base_url);
  const socket = connect(Number(port), hostname, () => {
    const head = `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n${headers.join('')}\r\n`;
    socket.write(head);
  });
  // The server asks for the body once it has seen the headers. The body never arrives.
  socket.once('data', () => socket.destroy());
  await vi.waitFor(async () => expect(await abandoned()).toBe(1), { timeout: 20_000, interval: 10 });
});
