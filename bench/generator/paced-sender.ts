import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { readRequests } from './requests-file.js';

// Runs in a separate process: node --import tsx paced-sender.ts <requests file> <base URL> <requests per second> <seconds>
// It sends each request when it is due, whether or not earlier ones are answered, as long as a connection is free.
// Requests that are not sent when the time is over stay unsent: a slow server must not make the load last longer.

const CONNECTIONS = 256;

/** Latencies by status. Each counts from the instant at which the request was due. */
export type PacedAnswers = {
  latencies: { accepted: number[]; refused: number[]; limited: number[] };
  refusedWithoutRetryAfter: number;
  /** Latencies that count from the instant at which the request was sent. */
  refusedAfterSending: number[];
  seconds: number;
  /** How many requests were never sent. */
  unsent: number;
  /** The CPU time of the sender itself. */
  cpuMs: number;
};

const [file = '', baseUrl = '', rate = '', duration = ''] = process.argv.slice(2);
const requests = [...readRequests(file)];
const latencies: PacedAnswers['latencies'] = { accepted: [], refused: [], limited: [] };
const listOf = { 202: latencies.accepted, 503: latencies.refused, 429: latencies.limited };
let refusedWithoutRetryAfter = 0;
let sent = 0;
const refusedAfterSending: number[] = [];

const connections = await Promise.all(Array.from({ length: CONNECTIONS }, open));
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
let next = 0;
await Promise.all(connections.map(work));
const { user, system } = process.cpuUsage(cpuBefore);
const seconds = (performance.now() - startedAt) / 1000;
const answers: PacedAnswers = {
  latencies,
  refusedWithoutRetryAfter,
  refusedAfterSending,
  unsent: requests.length - sent,
  seconds,
  cpuMs: (user + system) / 1000,
};
process.send?.(answers, () => process.exit(0));

type Ask = (request: string) => Promise<string>;

async function work(ask: Ask): Promise<void> {
  for (let number = next++; number < requests.length; number = next++) {
    const dueAt = startedAt + (number * 1000) / Number(rate);
    const earlyMs = dueAt - performance.now();
    if (earlyMs > 0) await pause(earlyMs);
    if (performance.now() - startedAt > Number(duration) * 1_000) break;
    const sentAt = performance.now();
    sent++;
    const answer = await ask(requests[number] ?? '');
    const list = listOf[Number(answer.slice(9, 12)) as keyof typeof listOf];
    if (!list) throw new Error(`The answer is neither 202 nor 429 nor 503:\n${answer}`);
    list.push(performance.now() - dueAt);
    if (list !== latencies.refused) continue;
    refusedAfterSending.push(performance.now() - sentAt);
    if (!/\r\nretry-after:/i.test(answer)) refusedWithoutRetryAfter++;
  }
}

async function open(): Promise<Ask> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).setNoDelay().setEncoding('latin1');
  await once(socket, 'connect');
  let received = '';
  let resolveAnswer = (_answer: string) => {};
  socket.on('data', (text: string) => {
    received += text;
    if (isWhole(received)) resolveAnswer(received);
  });
  for (const event of ['error', 'close']) {
    socket.on(event, () => {
      throw new Error(`The server closed a connection. ${received}`);
    });
  }
  return (request) =>
    new Promise((resolve) => {
      received = '';
      resolveAnswer = resolve;
      socket.write(request, 'latin1');
    });
}

function isWhole(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received.slice(0, headEnd + 2));
  if (!length) throw new Error(`The answer has no Content-Length:\n${received}`);
  return received.length >= headEnd + 4 + Number(length[1]);
}
