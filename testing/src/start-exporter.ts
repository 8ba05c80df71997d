import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { atEnd } from './at-end.js';
import { freePort } from './free-port.js';

/** An exporter for Prometheus, such as `prometheus-node-exporter` of Debian, for the calling test or file. */
export async function startExporter(program: string, flags: string[] = []): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`;
  const exporter = spawn(program, [`--web.listen-address=${address}`, ...flags], { stdio: 'ignore' });
  const ended = once(exporter, 'exit').catch((error: unknown) => {
    throw new Error(`${program} is not installed: apt-get install ${program}`, { cause: error });
  });
  atEnd(async () => {
    exporter.kill('SIGKILL');
    await ended;
  });
  const answers = () => fetch(`http://${address}/metrics`);
  await Promise.race([vi.waitFor(answers, { timeout: 30_000, interval: 50 }), ended]);
  return address;
}
