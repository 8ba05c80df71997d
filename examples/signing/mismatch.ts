import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'vitest';

/** Runs the program against a platform that has another command under its key. It must not wait for that one. */
export async function expectMismatchIsSaid([file = '', ...parameters]: string[]): Promise<void> {
  const requests: (string | undefined)[] = [];
  const platform = createServer((request, response) => {
    requests.push(request.method);
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Mismatch': 'payload, device_id' };
    request.resume().on('end', () => response.writeHead(202, headers).end(JSON.stringify(accepted)));
  }).listen(0, '127.0.0.1');
  await once(platform, 'listening');
  const TOP_BASE_URL = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  const env = { ...process.env, TOP_BASE_URL, TOP_CLIENT_ID: 'demo', TOP_SECRET: 'secret' };
  try {
    await expect(promisify(execFile)(file, parameters, { cwd: import.meta.dirname, env })).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('payload, device_id'),
    });
    expect(requests).toEqual(['POST']);
  } finally {
    platform.closeAllConnections();
    platform.close();
  }
}

const accepted = {
  command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
  status: 'ACCEPTED',
  accepted_at: '2026-01-31T09:30:00.000Z',
  request_id: 'r1',
};
