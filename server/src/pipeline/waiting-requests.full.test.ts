import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newCommand } from '../../test/support/commands.js';
import { openPool } from '../../test/support/open-pool.js';
import { silent } from '../../test/support/silent.js';
import { refuse } from '../foundation/api-error.js';
import { asTenant } from '../foundation/database/row-level-security.js';
import { postgresSignals } from '../foundation/signals/postgres-signals.js';
import { localSignals, topics } from '../foundation/signals/signals.js';
import { readCommand } from '../resources/commands/commands.js';
import { isTerminal } from './transitions.js';
import { createWaitFor } from './wait-for.js';

const tenant = await createTenant();

/** A separate node on the platform's database, and every statement that it sends. */
async function openNode({ hearsOthers = true } = {}) {
  const statements: { text: string; at: number }[] = [];
  const database = openPool(platform().databaseUrl as string, {
    debug: (_connection, text) => statements.push({ text, at: performance.now() }),
  });
  const signals = hearsOthers ? await postgresSignals(database.sql, silent()) : localSignals();
  const waitFor = createWaitFor({ signals, database, perTenant: 1_000, logger: silent().logger });
  onTestFinished(async () => {
    await signals.close();
    await database.close();
  });
  const call = () => ({ tenantId: tenant.tenant_id, admittedAt: new Date(), requestId: 'test', refuse });
  const reads = { underWay: 0, most: 0 };
  async function look(commandId: string) {
    reads.most = Math.max(reads.most, ++reads.underWay);
    try {
      return await asTenant(database, tenant.tenant_id, (tx) => readCommand(tx, call(), commandId));
    } finally {
      reads.underWay--;
    }
  }
  const waitForCommand = (commandId: string, waitSeconds = 120) =>
    waitFor({
      call: { ...call(), onClosed: () => {} },
      topic: topics.command(tenant.tenant_id, commandId),
      waitSeconds,
      look: () => look(commandId),
      isEnough: isTerminal,
    });
  /** Begins so many requests in turn: a transaction that waits for a connection must not wait too long. */
  async function waitForAll(ids: string[]) {
    const answers: ReturnType<typeof waitForCommand>[] = [];
    for (const id of ids) {
      await vi.waitFor(() => expect(reads.underWay).toBeLessThan(4), { timeout: 60_000, interval: 5 });
      answers.push(waitForCommand(id));
    }
    return answers;
  }
  return { database, signals, statements, reads, waitForCommand, waitForAll };
}

type Sent = Pick<Awaited<ReturnType<typeof openNode>>, 'statements'>;

const looks = ({ statements }: Sent) => statements.filter(({ text }) => text.includes(' from "commands"')).length;
const lookOuts = ({ statements }: Sent) => statements.filter(({ text }) => text.includes('json_array_elements_text'));

/** Commands that the simulated fleet never answers, once they are dispatched to it. */
async function dispatchedCommands(count: number): Promise<string[]> {
  const fields = { device_id: 'offline-1', timeout_seconds: 300 };
  const ids = await Promise.all(Array.from({ length: count }, () => newCommand(tenant.operator, fields)));
  const path = '/api/v1/open/downlink/commands?status=ACCEPTED';
  await expect.poll(async () => (await signedRequest(tenant.reader, 'GET', path)).body.items).toEqual([]);
  return ids;
}

test('200 waiting requests cause one poll in 10 seconds or more while signals arrive', async () => {
  const ids = await dispatchedCommands(200);
  const node = await openNode();
  const answers = await node.waitForAll(ids);
  // More than 200 if the signal of the dispatch arrives late.
  await expect.poll(() => looks(node)).toBeGreaterThanOrEqual(200);
  const settledAt = performance.now();
  // The first poll comes early: the process does not know yet whether signals arrive. So does one after a stall.
  const lastGap = () => {
    const [first = 0, second = 0] = lookOuts(node)
      .slice(-2)
      .map(({ at }) => at);
    return first > settledAt ? second - first : 0;
  };
  await expect.poll(lastGap, { timeout: 110_000 }).toBeGreaterThan(9_000);
  const from = lookOuts(node).at(-2)?.at ?? 0;
  const statements = node.statements.filter(({ at }) => at > from);
  expect(looks({ statements })).toBe(0);
  // The transaction of each poll, and a signal to this node itself.
  expect(statements.length).toBeLessThan(12);

  await node.signals.close();
  expect(await Promise.all(answers)).toHaveLength(200);
});

test('a change whose signal was lost is found long before the wait is over', async () => {
  const node = await openNode({ hearsOthers: false });
  const [id = ''] = await dispatchedCommands(1);
  const startedAt = performance.now();
  const answer = node.waitForCommand(id);
  await expect.poll(() => looks(node)).toBeGreaterThan(0);
  await node.database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    await tx`
      update commands set status = 'SUCCEEDED', completed_at = now(), updated_at = now() where command_id = ${id}`;
  });
  expect(await answer).toMatchObject({ status: 'SUCCEEDED' });
  expect(performance.now() - startedAt).toBeLessThan(25_000);
});

test('a waiting request reads again after a signal of its topic, and after no other signal', async () => {
  // It does not hear of the dispatch, however late.
  const node = await openNode({ hearsOthers: false });
  const [id = '', other = ''] = await dispatchedCommands(2);
  const answer = node.waitForCommand(id);
  await expect.poll(() => looks(node)).toBe(1);
  node.signals.send([topics.command(tenant.tenant_id, other)]);
  node.signals.send([topics.command(tenant.tenant_id, id)]);
  // Nothing has changed, so a poll makes no request read again.
  await expect.poll(() => looks(node)).toBe(2);
  await node.signals.close();
  await answer;
});

test('a busy topic does not make a request read all the time', async () => {
  const node = await openNode();
  const [id = ''] = await dispatchedCommands(1);
  const startedAt = performance.now();
  const answer = node.waitForCommand(id);
  const elapsed = () => performance.now() - startedAt;
  while (elapsed() < 1_000 || (looks(node) < 2 && elapsed() < 20_000)) {
    node.signals.send([topics.command(tenant.tenant_id, id)]);
    await new Promise(setImmediate);
  }
  expect(looks(node)).toBeGreaterThan(1);
  expect(looks(node)).toBeLessThanOrEqual(2 + elapsed() / 200);
  await node.signals.close();
  await answer;
});
