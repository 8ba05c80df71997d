import { randomUUID } from 'node:crypto';
import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { onBothNodes } from '../../test/support/on-both-nodes.js';

const COMMANDS = '/api/v1/open/downlink/commands';

const { nodes } = platform();

/** A vendor of this test, with a command type `any` that accepts any payload: other tests use the seeded ones. */
let vendor: string;

const tenant = await createTenant();

beforeEach(async () => {
  vendor = `vendor_${randomUUID()}`;
  await putVendor({ enabled: true });
  await putType({ description: 'Accepts any payload.', payload_schema: { type: 'object' } });
});

async function put(path: string, body: object, node = nodes[0]): Promise<void> {
  const target = `/api/v1/platform/catalog/vendors/${vendor}${path}`;
  const { status, raw } = await signedRequest(platform().admin, 'PUT', target, { body, ...(node && { node }) });
  expect(status, raw).toBe(200);
}

const putVendor = (body: object, node?: string) => put('', body, node);
const putType = (body: object, node?: string) => put('/command-types/any', body, node);

const command = (fields: object = {}) => ({
  vendor,
  device_id: 'device-1',
  command_type: 'any',
  payload: {},
  idempotency_key: randomUUID(),
  ...fields,
});

const create = (body: unknown, node = nodes[0]) =>
  signedRequest(tenant.operator, 'POST', COMMANDS, { body, ...(node !== undefined && { node }) });

test.each([
  ['vendor', 'VENDOR_NOT_ENABLED', (node: string) => putVendor({ enabled: false }, node)],
  ['command type', 'COMMAND_TYPE_UNKNOWN', (node: string) => putType({ enabled: false }, node)],
  [
    'payload schema',
    'COMMAND_PAYLOAD_INVALID',
    (node: string) => putType({ payload_schema: { required: ['a'] } }, node),
  ],
])('every node obeys a changed %s at once, and retries still work', async (_, code, change) => {
  const body = command();
  const first = await create(body);
  for (const node of nodes) expect((await create(command(), node)).status).toBe(202);
  await change(nodes[0] as string);
  for (const node of [...nodes].reverse()) {
    expect((await create(command(), node)).body.code).toBe(code);
    const again = await create(body, node);
    expect([again.status, again.body.command_id]).toEqual([202, first.body.command_id]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers).not.toHaveProperty('idempotency-mismatch');
  }
});

test('every node obeys an enabled vendor at once', async () => {
  await putVendor({ enabled: false });
  for (const node of nodes) expect((await create(command(), node)).body.code).toBe('VENDOR_NOT_ENABLED');
  await putVendor({ enabled: true });
  for (const node of nodes) expect((await create(command(), node)).status).toBe(202);
});

test('a change on one node applies to the very next command on the other, repeatedly', async () => {
  for (let round = 0; round < 20; round++) {
    const [name, other] = round % 2 === 0 ? (['even', 'odd'] as const) : (['odd', 'even'] as const);
    const [putting, obeying] = round % 4 < 2 ? nodes : [...nodes].reverse();
    await putType({ payload_schema: { required: [name] } }, putting);
    const answers = await Promise.all([
      create(command({ payload: { [name]: 1 } }), obeying),
      create(command({ payload: { [other]: 1 } }), obeying),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([202, 422]);
  }
});

test('a new schema applies to every command sent after its answer, even under load', async () => {
  for (let round = 0; round < 10; round++) {
    await putType({ payload_schema: { maxProperties: 0 } });
    let isPut = false;
    const before: number[] = [];
    const sending = onBothNodes(16, async (node) => {
      for (let isAfter = false; !isAfter; ) {
        isAfter = isPut;
        const { status } = await create(command(), node);
        if (isAfter) expect(status).toBe(422);
        else before.push(status);
      }
    });
    try {
      await vi.waitFor(() => expect(before).toContain(202), { timeout: 60_000 });
      await putType({ payload_schema: { minProperties: 1 } }, nodes[round % nodes.length]);
    } finally {
      isPut = true;
    }
    await sending;
    expect(before.filter((status) => status !== 202 && status !== 422)).toEqual([]);
  }
});

test('any payload is read back as it was sent', async () => {
  const payload =
    '{"z":1,"a":[null,true,-0.5,1e+21,5e-324,9007199254740991],"":{"constructor":{},"toString":"x"},"\\u0001é\u2028🚀":""}';
  const sent = JSON.stringify(command({ payload: 0 })).replace('"payload":0', `"payload":${payload}`);
  const { status, body } = await create(Buffer.from(sent));
  expect(status).toBe(202);
  const read = await signedRequest(tenant.reader, 'GET', `${COMMANDS}/${body.command_id}`);
  expect(read.raw).toContain(`"payload":${JSON.stringify(JSON.parse(payload))},`);
});

test('a payload of exactly the limit is accepted, whatever it contains', async () => {
  const payload = { a: `${'é'.repeat(16_379)}bb` };
  expect(Buffer.byteLength(JSON.stringify(payload))).toBe(32_768);
  expect((await create(command({ payload }))).status).toBe(202);
});
