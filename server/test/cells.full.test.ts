import { readFileSync } from 'node:fs';
import { signedRequest } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { runMove } from './support/cells.js';
import { COMMANDS, completed, newCommand } from './support/commands.js';
import { startTwoCells } from './support/two-cells.js';

const soon = { timeout: 50_000, interval: 50 };
const EVENTS = '/api/v1/open/events';

const { a, b, nginx, newTenant, ...cells } = await startTwoCells();

async function writeMaps(): Promise<string[]> {
  const written = await cells.writeMaps();
  for (const run of written) {
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ has \d+ client ids/) });
  }
  return written.map(({ file }) => readFileSync(file, 'utf8').trim());
}

test('one address leads each client id to its cell, also after a move and for names that nginx knows, and an unknown id gets the same 401', async () => {
  const [ofA, ofB, named] = [await newTenant(a, 'ann'), await newTenant(b, 'bob'), await newTenant(b, 'default')];
  expect(await writeMaps()).toEqual(['ann cell_a;\ndemo-a cell_a;', '\\default cell_b;\nbob cell_b;\ndemo-b cell_b;']);
  // A query that a proxy could rewrite is signed as it is sent.
  const target = `${EVENTS}?occurred_after=2026-01-01T00:00:00%2B00:00`;
  for (const profile of [ofA, ofB, named]) {
    await vi.waitFor(async () => expect((await signedRequest(profile, 'GET', target)).status).toBe(200), soon);
  }
  await Promise.all([a.serve('ann'), b.serve('bob')]);
  for (const profile of [ofA, ofB]) {
    const record = await completed(profile, await newCommand(profile, { timeout_seconds: 300 }));
    expect(record).toMatchObject({ status: 'SUCCEEDED' });
  }
  const unknown = { ...ofA, client_id: 'nobody' };
  const [here, direct] = [
    await signedRequest(unknown, 'GET', EVENTS),
    await signedRequest(unknown, 'GET', EVENTS, { node: b.baseUrl }),
  ];
  expect([here.status, here.body.code, here.body.message]).toEqual([401, direct.body.code, direct.body.message]);

  // Where the tenant was answers 503 for a minute: only the target answers.
  const moved = await runMove(a, b, ['ann', '--to-url', b.baseUrl, '--switch', cells.switchCommand]);
  expect([moved.exitCode, moved.stderr]).toEqual([0, expect.stringContaining('b.map has 4 client ids')]);
  await vi.waitFor(async () => expect((await signedRequest(ofA, 'GET', EVENTS)).body.items).toHaveLength(2), soon);
  expect(await writeMaps()).toEqual(['demo-a cell_a;', '\\default cell_b;\nann cell_b;\nbob cell_b;\ndemo-b cell_b;']);
});

test('the map of a tenant that moves leads to its cell until the command of --switch runs', async () => {
  await newTenant(a, 'stays');
  const stopped = await runMove(a, b, ['stays', '--to-url', b.baseUrl], 'nothing is under way');
  expect(stopped.stderr).not.toContain('running');
  const [ofA, ofB] = await writeMaps();
  expect([ofA, ofB]).toEqual([expect.stringContaining('stays cell_a;'), expect.not.stringContaining('stays')]);
  expect((await runMove(a, b, ['stays', '--undo'])).exitCode).toBe(0);
});

test('while one cell is down, tenants of the other one notice nothing', async () => {
  const [ofA, ofB] = [await newTenant(a, 'alive'), await newTenant(b, 'buried')];
  await writeMaps();
  for (const profile of [ofA, ofB]) {
    await vi.waitFor(async () => expect((await signedRequest(profile, 'GET', EVENTS)).status).toBe(200), soon);
  }
  await a.serve('alive');
  await completed(ofA, await newCommand(ofA));
  await b.postgres.kill();
  await b.nats.suspend();
  b.kill();
  await vi.waitFor(async () => expect((await signedRequest(ofB, 'GET', EVENTS)).status).toBe(502), soon);
  const command = (n: number) => ({
    ...{ vendor: 'vendor_a', device_id: 'd', command_type: 'reboot', payload: {} },
    idempotency_key: `key-${n}`,
    timeout_seconds: 300,
  });
  const ids: string[] = [];
  for (let n = 0; n < 100; n++) {
    const answer = await signedRequest(ofA, 'POST', COMMANDS, { body: command(n) });
    expect(answer.status).toBe(202);
    ids.push(answer.body.command_id);
  }
  for (const id of ids) expect((await completed(ofA, id)).status).toBe('SUCCEEDED');
});
