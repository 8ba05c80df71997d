import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signedRequest, startNode } from '@tenant-open-platform/testing';
import { jsonIn, runPage } from '@tenant-open-platform/testing/documentation-blocks';
import { natsServer } from '@tenant-open-platform/testing/private-nats';
import { stopGroup } from '@tenant-open-platform/testing/stop-group';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
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
  const broker = await startNatsBroker();
  onTestFinished(broker.stop);
  const { folder, demo } = await startNode({ NATS_URL: broker.url });
  // What the reader has fetched and installed.
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  const env = {
    PATH: `${process.env.PATH}:${dirname(natsServer)}`,
    NATS_URL: broker.url,
    MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
    MQTT_PORT: String(broker.port),
    HAND_OVER_FILE: join(folder, 'hand-over.json'),
  };
  expect(terminals).toHaveLength(2);
  for (const code of terminals) {
    const terminal = spawn('bash', ['-c', code], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    onTestFinished(() => stopGroup(terminal));
    let log = '';
    for (const output of [terminal.stdout, terminal.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    }
    onTestFailed(() => console.error(`${code}\n${log}`));
  }
  const printed = await runPage(page, {
    marked: 'run-full',
    before: `cp ${folder}/platform-admin.json ${folder}/demo.json data/`,
    env,
  });
  const [succeeded, unreachable] = jsonIn(printed).filter(({ status }) => /SUCCEEDED|FAILED|TIMED_OUT/.test(status));
  expect(succeeded).toMatchObject({ status: 'SUCCEEDED', result: { percent: 40 } });
  if (unreachable.status === 'FAILED') return expect(unreachable).toMatchObject({ adapter_status: 'UNREACHABLE' });
  // The adapter says so two seconds before the deadline: a machine that stalls loses them.
  const target = `/api/v1/open/downlink/commands/${unreachable.command_id}`;
  const lateResult = async () => (await signedRequest(demo, 'GET', target)).body.late_result;
  await expect.poll(lateResult).toMatchObject({ adapter_status: 'UNREACHABLE' });
}, 300_000);
