import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';
import { announcement, once, storedCommands } from '../../../test/support/stored.js';

const DUPLICATES = 50;
const ROUNDS = 20;

const target = '/api/v1/open/downlink/commands';
const databaseUrl = () => platform().databaseUrl as string;

test(`of ${DUPLICATES} concurrent duplicates of an idempotency_key on two nodes one command is created, ${ROUNDS} rounds`, async () => {
  const { tenant_id, operator } = await createTenant();
  const commandIds = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round++) {
    const body = {
      vendor: 'vendor_a',
      device_id: 'd-1',
      command_type: 'reboot',
      payload: {},
      idempotency_key: `round-${round}`,
    };
    const answers = await onBothNodes(DUPLICATES, (node) => signedRequest(operator, 'POST', target, { node, body }));

    expect(answers.map(({ status }) => status)).toEqual(Array(DUPLICATES).fill(202));
    expect(new Set(answers.map((answer) => `${answer.body.command_id} ${answer.body.accepted_at}`)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.body.request_id)).size).toBe(DUPLICATES);
    const first = answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
    expect(first).toHaveLength(1);
    const replays = answers.filter((answer) => answer !== first[0]);
    expect(new Set(replays.map(({ headers }) => headers['idempotent-replayed']))).toEqual(new Set(['true']));
    expect(answers.filter(({ headers }) => 'idempotency-mismatch' in headers)).toEqual([]);
    commandIds.set(body.idempotency_key, answers[0]?.body.command_id);
  }

  const stored = await storedCommands(databaseUrl(), tenant_id);
  expect(stored).toHaveLength(ROUNDS);
  for (const command of stored) {
    expect(command.command_id).toBe(commandIds.get(command.idempotency_key));
    expect(announcement(command)).toEqual(once);
  }
}, 240_000);

test('tells each loser of a used idempotency_key which fields differ from the stored command', async () => {
  const { tenant_id, operator } = await createTenant();
  const rounds = 10;
  for (let round = 0; round < rounds; round++) {
    const bodyOf = (index: number) => ({
      vendor: 'vendor_a',
      device_id: `d-${index % 2}`,
      command_type: 'set_temperature',
      payload: { celsius: 10 + (index % 5) },
      timeout_seconds: 30 + (index % 3),
      idempotency_key: `round-${round}`,
    });
    const answers = await onBothNodes(DUPLICATES, (node, index) =>
      signedRequest(operator, 'POST', target, { node, body: bodyOf(index) }),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(DUPLICATES).fill(202));
    expect(new Set(answers.map((answer) => answer.body.command_id)).size).toBe(1);
    const winners = answers.flatMap(({ headers }, index) => (headers['idempotent-replayed'] ? [] : [index]));
    expect(winners).toHaveLength(1);
    const winner = bodyOf(winners[0] as number);
    answers.forEach(({ headers }, index) => {
      const body = bodyOf(index);
      const differing = [
        body.device_id !== winner.device_id && 'device_id',
        body.payload.celsius !== winner.payload.celsius && 'payload',
        body.timeout_seconds !== winner.timeout_seconds && 'timeout_seconds',
      ].filter((field) => field !== false);
      expect(headers['idempotency-mismatch']?.toString().split(',').sort() ?? []).toEqual(differing.sort());
    });
    const { body: read } = await signedRequest(operator, 'GET', `${target}/${answers[0]?.body.command_id}`);
    expect(read).toMatchObject(winner);
  }
  const stored = await storedCommands(databaseUrl(), tenant_id);
  expect(stored).toHaveLength(rounds);
  for (const command of stored) expect(announcement(command)).toEqual(once);
});
