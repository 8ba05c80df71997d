import { randomUUID } from 'node:crypto';
import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';
import { announcement, once, storedCommands } from '../../../test/support/stored.js';

const BATCHES = '/api/v1/open/downlink/command-batches';
const ROUNDS = 10;
const COMMANDS_OF_A_BATCH = 100;

/** Changes the catalog through this node. */
async function put(vendor: string, path: string, body: object, node: string | undefined) {
  const target = `/api/v1/platform/catalog/vendors/${vendor}${path}`;
  const { status, raw } = await signedRequest(platform().admin, 'PUT', target, { body, ...(node && { node }) });
  expect(status, raw).toBe(200);
}

type Item = { command_id: string; idempotent_replayed?: boolean };

test('of equal batches at the same time on two nodes, also in another order, each command is created once', async () => {
  const { tenant_id, operator } = await createTenant();
  for (let round = 0; round < ROUNDS; round++) {
    const commands = Array.from({ length: COMMANDS_OF_A_BATCH }, (_, index) => ({
      vendor: 'vendor_a',
      device_id: `offline-${index}`,
      command_type: 'reboot',
      payload: {},
      idempotency_key: `${round}-${index}`,
    }));
    const answers = await onBothNodes(8, async (node, index) => {
      const given = index % 4 < 2 ? commands : commands.toReversed();
      return signedRequest(operator, 'POST', BATCHES, { node, body: { commands: given } });
    });
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const itemsOf = answers.map(({ body }, index): Item[] => (index % 4 < 2 ? body.items : body.items.toReversed()));
    for (let index = 0; index < COMMANDS_OF_A_BATCH; index++) {
      const items = itemsOf.map((all) => all[index] as Item);
      expect(new Set(items.map(({ command_id }) => command_id)).size).toBe(1);
      expect(items.filter(({ idempotent_replayed }) => !idempotent_replayed)).toHaveLength(1);
    }
  }
  const stored = await storedCommands(platform().databaseUrl as string, tenant_id);
  expect(stored).toHaveLength(ROUNDS * COMMANDS_OF_A_BATCH);
  for (const command of stored) expect(announcement(command)).toEqual(once);
});

test('a batch and single requests with its keys at the same time create each command once', async () => {
  const { tenant_id, operator } = await createTenant();
  const commands = Array.from({ length: 50 }, (_, index) => ({
    vendor: 'vendor_a',
    device_id: `offline-${index}`,
    command_type: 'reboot',
    payload: {},
    idempotency_key: randomUUID(),
  }));
  const [batch, ...single] = await Promise.all([
    signedRequest(operator, 'POST', BATCHES, { body: { commands } }),
    ...commands.map((body) => signedRequest(operator, 'POST', '/api/v1/open/downlink/commands', { body })),
  ]);
  expect(single.map(({ body }) => body.command_id)).toEqual(batch.body.items.map(({ command_id }: Item) => command_id));
  expect(await storedCommands(platform().databaseUrl as string, tenant_id)).toHaveLength(50);
});

test('a schema that changed on another node applies to the next batch, and replays go on', async () => {
  const { operator } = await createTenant();
  const [one, other] = platform().nodes;
  const vendor = `vendor_${randomUUID()}`;
  const command = (payload: object) => ({
    vendor,
    device_id: 'd-1',
    command_type: 'any',
    payload,
    idempotency_key: randomUUID(),
  });
  const create = async (commands: object[]) => {
    const options = { body: { commands }, ...(other && { node: other }) };
    const { body } = await signedRequest(operator, 'POST', BATCHES, options);
    return body.items.map((item: { error?: { code: string }; idempotent_replayed?: true }) =>
      item.error ? item.error.code : item.idempotent_replayed ? 'REPLAYED' : 'ACCEPTED',
    );
  };
  await put(vendor, '', { enabled: true }, one);
  await put(vendor, '/command-types/any', { description: 'Any.', payload_schema: { type: 'object' } }, one);
  const before = command({});
  expect(await create([before])).toEqual(['ACCEPTED']);
  await put(vendor, '/command-types/any', { payload_schema: { required: ['a'] } }, one);
  expect(await create([command({ a: 1 }), before, command({})])).toEqual([
    'ACCEPTED',
    'REPLAYED',
    'COMMAND_PAYLOAD_INVALID',
  ]);
  await put(vendor, '/command-types/any', { payload_schema: { type: 'object' } }, one);
  expect(await create([command({}), command({ b: 1 })])).toEqual(['ACCEPTED', 'ACCEPTED']);
});

test('of a batch of which one type has changed on another node, all commands are stored together, in order', async () => {
  const { operator } = await createTenant();
  const [one, other] = platform().nodes;
  const vendor = `vendor_${randomUUID()}`;
  const command = (command_type: string, payload: object) => ({
    vendor,
    device_id: 'd-1',
    command_type,
    payload,
    idempotency_key: randomUUID(),
  });

  const create = async (commands: object[]) => {
    const options = { body: { commands }, ...(other && { node: other }) };
    return (await signedRequest(operator, 'POST', BATCHES, options)).body.items;
  };
  await put(vendor, '', { enabled: true }, one);
  for (const type of ['changed', 'kept']) {
    await put(vendor, `/command-types/${type}`, { description: 'Any.', payload_schema: { type: 'object' } }, one);
  }
  await create([command('changed', {}), command('kept', {})]);
  await put(vendor, '/command-types/changed', { payload_schema: { required: ['a'] } }, one);
  const items = await create([
    command('changed', { a: 1 }),
    command('kept', {}),
    command('changed', { a: 1 }),
    command('kept', {}),
  ]);
  const ids = items.map(({ command_id }: Item) => command_id);
  expect(ids).toEqual([...ids].sort());
  expect(new Set(items.map(({ accepted_at }: { accepted_at: string }) => accepted_at)).size).toBe(1);
});
