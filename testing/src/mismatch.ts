import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { atEnd } from './at-end.js';

const accepted = {
  command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
  status: 'ACCEPTED',
  accepted_at: '2026-01-31T09:30:00.000Z',
  request_id: 'r1',
};

/** A platform that has another command under every key, and the methods of the requests that it gets. */
export async function startWithOtherCommand() {
  const requests: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(request.method);
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Mismatch': 'payload, device_id' };
    request.resume().on('end', () => response.writeHead(202, headers).end(JSON.stringify(accepted)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

type Options = {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** What the program may print before it has looked. */
  stdout?: unknown;
};

/** The program must say that its key belongs to another command, exit with 1, and not wait for that command. */
export async function expectMismatchIsSaid(
  [file = '', ...parameters]: string[],
  { cwd, env: more, stdout = '' }: Options = {},
): Promise<void> {
  const { url, requests } = await startWithOtherCommand();
  const env = { ...process.env, ...more, TOP_BASE_URL: url, TOP_CLIENT_ID: 'demo', TOP_SECRET: 'secret' };
  await expect(promisify(execFile)(file, parameters, { cwd, env })).rejects.toMatchObject({
    code: 1,
    stdout,
    stderr: expect.stringContaining('payload, device_id'),
  });
  expect(requests).toEqual(['POST']);
}
