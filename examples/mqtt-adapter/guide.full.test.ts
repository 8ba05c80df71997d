import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonIn, runPage } from '@tenant-open-platform/testing/documentation-blocks';
import { natsServer } from '@tenant-open-platform/testing/private-nats';
import { startServer } from '@tenant-open-platform/testing/start-server';
import { expect, onTestFinished, test } from 'vitest';
import { startNatsBroker } from './brokers.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = 'docs/mqtt-devices.md';

/** The blocks that run in terminals of their own. */
const terminals = [
  ...readFileSync(join(root, page), 'utf8').matchAll(
    /^```sh not-run: [^\n]*guide\.full\.test\.ts runs it\n(.*?)^```$/gms,
  ),
].map(([, code]) => code as string);

test(`${page}, pasted from top to bottom: a device carries out a command, and one that is not there is unreachable`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'top-mqtt-guide-'));
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  const broker = await startNatsBroker();
  onTestFinished(async () => {
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const server = await startServer({ DATA_DIR: folder, NATS_URL: broker.url });
  onTestFinished(async () => void (await server.stop()));
  const env = {
    PATH: `${process.env.PATH}:${dirname(natsServer)}`,
    NATS_URL: broker.url,
    MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
    MQTT_PORT: String(broker.port),
  };
  expect(terminals).toHaveLength(2);
  for (const code of terminals) {
    const terminal = spawn('bash', ['-c', code], { cwd: folder, env, stdio: 'ignore', detached: true });
    const exited = once(terminal, 'exit');
    onTestFinished(async () => {
      process.kill(-(terminal.pid as number), 'SIGKILL');
      await exited;
    });
  }
  const printed = await runPage(page, {
    marked: 'run-full',
    before: `cp ${folder}/platform-admin.json ${folder}/demo.json data/`,
    env,
  });
  expect(jsonIn(printed).filter(({ status }) => /SUCCEEDED|FAILED/.test(status))).toMatchObject([
    { status: 'SUCCEEDED', result: { percent: 40 } },
    { status: 'FAILED', adapter_status: 'UNREACHABLE' },
  ]);
}, 180_000);
