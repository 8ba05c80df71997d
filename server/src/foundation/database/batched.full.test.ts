import { randomUUID } from 'node:crypto';
import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { admissionOf, newSender } from '../../../test/support/new-sender.js';
import { openPool } from '../../../test/support/open-pool.js';
import { hashNonce } from '../../gateway/auth/authenticate.js';
import { batched } from './batched.js';
import type { Database } from './database.js';
import { errorCodeOf } from './database-error.js';

const pools = [openPool(), openPool()] as const;

/** Credential numbers that no credential has: the rows of these tests belong to them. */
const nobody = -1;

const SECONDS_PER_ROW = 0.002;

/** Takes its locks in the order of its items, slowly enough to meet another batch half-way. */
const insertNonces = ({ sql }: Database, hashes: readonly string[]) => sql`
  insert into nonces
  select ${nobody}::bigint, decode(nonce_hash, 'hex'), now()
  from (
    select nonce_hash, pg_sleep(${SECONDS_PER_ROW}::float8)
    from json_array_elements_text(${JSON.stringify(hashes)}::text::json) as given (nonce_hash)
  ) as slowly
  on conflict do nothing`;

async function insertInOppositeOrder(
  orderBy: (hash: string) => string,
  { keys, rounds }: { keys: number; rounds: number },
): Promise<string[]> {
  const failures: string[] = [];
  const [forwards, backwards] = pools.map((pool) =>
    batched<string, void>(orderBy, async (hashes) => {
      try {
        await insertNonces(pool, hashes);
      } catch (error) {
        failures.push(errorCodeOf(error) ?? String(error));
        throw error;
      }
      return hashes.map(() => undefined);
    }),
  ) as [(hash: string) => Promise<void>, (hash: string) => Promise<void>];
  for (let round = 0; round < rounds; round++) {
    const hashes = Array.from({ length: keys }, () => hashNonce(randomUUID())).sort();
    await Promise.all([...hashes.map((hash) => forwards(hash)), ...hashes.toReversed().map((hash) => backwards(hash))]);
  }
  return failures;
}

test('never deadlocks two batches with the same keys in opposite order', async () => {
  expect(await insertInOppositeOrder((hash) => hash, { keys: 20, rounds: 20 })).toEqual([]);
});

test('retries a batch that Postgres chose as a deadlock victim', async () => {
  // On a busy machine, one batch can be done before the other begins.
  const deadlocks = async () => insertInOppositeOrder(() => '', { keys: 2, rounds: 1 });
  await expect.poll(deadlocks, { timeout: 50_000 }).toEqual(['40P01']);
});

test('admits each of many requests once when two nodes receive them in opposite order', async () => {
  const sender = await newSender(pools[0], (await createTenant()).operator);
  const [admitHere, admitThere] = pools.map(admissionOf) as [
    ReturnType<typeof admissionOf>,
    ReturnType<typeof admissionOf>,
  ];
  for (let round = 0; round < 30; round++) {
    const requests = Array.from({ length: 60 }, () => ({ ...sender, nonceHash: hashNonce(randomUUID()) }));
    const here = Promise.all(requests.map((signed) => admitHere(signed)));
    const there = Promise.all(requests.toReversed().map((signed) => admitThere(signed)));
    const fresh = [await here, (await there).reverse()].map((verdicts) => verdicts.map(({ is_fresh }) => is_fresh));
    expect(requests.map((_, index) => Number(fresh[0]?.[index]) + Number(fresh[1]?.[index]))).toEqual(
      Array(requests.length).fill(1),
    );
  }
});
