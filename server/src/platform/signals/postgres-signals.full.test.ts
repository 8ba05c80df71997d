import { platform } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openPool } from '../../../test/open-pool.js';
import { silent } from '../../../test/silent.js';
import { postgresSignals } from './postgres-signals.js';

async function openSignals() {
  const database = openPool(platform().databaseUrl as string);
  const signals = await postgresSignals(database.sql, silent().logger);
  onTestFinished(async () => {
    await signals.close();
    await database.close();
  });
  return signals;
}

test('wakes every node once for each topic that one of them sends, however many they are', async () => {
  const [sender, other] = await Promise.all([openSignals(), openSignals()]);
  const topics = Array.from({ length: 500 }, (_, index) => `test ${String(index).padStart(60, '-')}`);
  const woken = { sender: [] as string[], other: [] as string[] };
  for (const topic of topics) {
    sender.listen(topic, () => woken.sender.push(topic));
    other.listen(topic, () => woken.other.push(topic));
  }
  sender.send(topics);
  await expect.poll(() => woken.other.length).toBeGreaterThanOrEqual(topics.length);
  // Postgres tells in the order of commits: what the sender would hear of its own came before this.
  const answered = new Promise<void>((resolve) => sender.listen('test answer', resolve));
  other.send(['test answer']);
  await answered;
  expect({ sender: woken.sender.sort(), other: woken.other.sort() }).toEqual({ sender: topics, other: topics });
});
