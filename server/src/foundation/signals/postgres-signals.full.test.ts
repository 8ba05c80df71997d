import { randomUUID } from 'node:crypto';
import { platform } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { silent } from '../../../test/support/silent.js';
import { startLink } from '../../../test/support/start-link.js';
import { postgresSignals } from './postgres-signals.js';

async function openSignals(url = platform().databaseUrl as string, options = {}) {
  const database = openPool(url, options);
  const signals = await postgresSignals(database.sql, silent());
  onTestFinished(async () => {
    await signals.close();
    await database.close();
  });
  return signals;
}

test('wakes every node once for each topic that any node sends, however many topics there are', async () => {
  const [sender, other] = await Promise.all([openSignals(), openSignals()]);
  const topics = Array.from({ length: 500 }, (_, index) => `test ${String(index).padStart(60, '-')}`);
  const woken = { sender: [] as string[], other: [] as string[] };
  for (const topic of topics) {
    sender.listen(topic, () => woken.sender.push(topic));
    other.listen(topic, () => woken.other.push(topic));
  }
  sender.send(topics);
  await expect.poll(() => woken.other.length).toBeGreaterThanOrEqual(topics.length);
  // Postgres notifies in the order of commits, so an echo of our own signals would arrive before this one.
  const answered = new Promise<void>((resolve) => sender.listen('test answer', resolve));
  other.send(['test answer']);
  await answered;
  expect({ sender: woken.sender.sort(), other: woken.other.sort() }).toEqual({ sender: topics, other: topics });
});

test('receives signals again after its connection was half open', async () => {
  const url = platform().databaseUrl as string;
  const link = await startLink(url);
  onTestFinished(() => link.stop());
  const [sender, other] = await Promise.all([
    openSignals(),
    openSignals(link.through(url), { answer_timeout: 10, connect_timeout: 30, backoff: () => 0.01 }),
  ]);
  const topic = `test ${randomUUID()}`;
  let woken = 0;
  other.listen(topic, () => woken++);
  link.blackHole();
  link.heal();
  await expect
    .poll(() => {
      sender.send([topic]);
      return woken;
    })
    .toBeGreaterThan(0);
});
