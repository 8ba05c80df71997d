import { expect, test } from 'vitest';
import { answer, fakeClient } from '../../test/fake-fetch.js';

const create = (payload: object, script = [answer(202, { command_id: 'c1' })]) => {
  const { client, fetch } = fakeClient(script);
  return {
    fetch,
    created: client.commands.create({ vendor: 'v', device_id: 'd', command_type: 't', payload } as never),
  };
};

test.each([
  ['NaN', { speed: Number.NaN }, 'speed of the body: NaN'],
  ['Infinity', { nested: [{ speed: Number.POSITIVE_INFINITY }] }, 'speed of the body: Infinity'],
  ['a Map', { zones: new Map([['a', 1]]) }, 'zones of the body: Map'],
  ['a Set', { zones: new Set(['a']) }, 'zones of the body: Set'],
  ['bytes', { image: new Uint8Array(2) }, 'image of the body: Uint8Array'],
])('%s in a body is refused before anything is sent', async (_, payload, message) => {
  const { fetch, created } = create(payload);
  await expect(created).rejects.toMatchObject({
    name: 'InvalidArgumentError',
    message: expect.stringContaining(message),
  });
  expect(fetch.sent).toEqual([]);
});

test('everything that JSON can represent is sent', async () => {
  class Zone {
    id = 'a';
  }
  const at = new Date('2026-01-31T09:30:00Z');
  const { fetch, created } = create({ at, zone: new Zone(), missing: undefined, none: null, list: [1.5, 'x', true] });
  await created;
  expect(fetch.sent[0]?.body).toMatchObject({
    payload: { at: '2026-01-31T09:30:00.000Z', zone: { id: 'a' }, none: null, list: [1.5, 'x', true] },
  });
});
