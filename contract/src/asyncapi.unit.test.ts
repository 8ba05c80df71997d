import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { renderAsyncApi } from '../scripts/asyncapi.js';
import { nodes, undescribedProperties } from '../scripts/document-nodes.js';
import { busExports } from './bus/permissions.js';
import { readSubject, subjects } from './bus/subjects.js';

type Reference = { $ref: string };
type Json = Record<string, unknown>;
type AsyncApi = {
  channels: Record<string, { address: string; parameters: Json; messages: Json }>;
  operations: Record<string, { action: 'send' | 'receive'; channel: Reference }>;
  components: {
    messages: Record<string, { payload: Reference; examples: { payload: Json }[] }>;
    schemas: Record<string, { required?: string[]; properties?: Record<string, Json>; allOf?: [Reference, object] }>;
  };
};

const text = readFileSync(new URL('../asyncapi.json', import.meta.url), 'utf8');
const document: AsyncApi = JSON.parse(text);
const { messages, schemas } = document.components;

const lastOf = ({ $ref }: Reference) => $ref.slice($ref.lastIndexOf('/') + 1);
const operations = Object.values(document.operations).map(({ action, channel }) => {
  const described = document.channels[lastOf(channel)];
  if (!described) throw new Error(`${channel.$ref} is not there`);
  return { action, ...described };
});

/** AsyncAPI supports JSON Schema draft 7, which is Ajv's default. */
const ajv = addFormats.default(new Ajv({ allowUnionTypes: true, keywords: ['components'] }));
ajv.addSchema({ components: document.components }, 'asyncapi.json');
const validators = new Map(
  Object.keys(messages).map((name) => [
    name,
    ajv.compile({ $ref: `asyncapi.json#/components/messages/${name}/payload` }),
  ]),
);
const accepts = (name: string, payload: Json) => validators.get(name)?.(payload);

test('asyncapi.json is up to date with the messages of the bus', () => {
  expect(text).toBe(renderAsyncApi());
});

test('a program can read the stream of every channel, and the durable of every channel that the platform sends to', () => {
  const { channels, operations } = JSON.parse(text);
  const streams = Object.values(channels as Json).map((channel) => (channel as Json)['x-nats-stream']);
  expect(new Set(streams)).toEqual(new Set(['TOP_COMMANDS', 'TOP_UPDATES', 'TOP_REPLIES', 'TOP_EVENTS']));
  const durables = Object.values(operations as Record<string, Json>).map(({ action, 'x-nats-durable': durable }) => [
    action,
    durable !== undefined,
  ]);
  expect(durables.filter(([action, hasDurable]) => (action === 'send') !== hasDurable)).toEqual([]);
});

test('every subject of the bus is exactly one channel, with the parameters of its address', () => {
  const values: Json = { tenant_id: 'demo', vendor: 'vendor_a', event_type: 'command.completed' };
  const addresses = Object.entries(document.channels).map(([name, { address, parameters }]) => {
    const inAddress = [...address.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    expect(inAddress).toEqual(Object.keys(parameters));
    return [name, address.replaceAll(/\{(\w+)\}/g, (_, parameter) => String(values[parameter]))] as const;
  });
  const made = Object.entries(subjects).map(([name, subject]) => [
    name,
    subject('demo', name === 'event' ? 'command.completed' : 'vendor_a'),
  ]);
  expect(addresses).toEqual(made);
  expect(new Set(addresses.map(([, subject]) => readSubject(subject)?.kind)).size).toBe(made.length);
});

test('every channel has one operation: the platform receives the subjects that principals may publish, and sends the rest', () => {
  const published = busExports.map(({ subject }) => subject);
  const expected = Object.values(document.channels).map(({ address }) => {
    const action = published.includes(address.replaceAll(/\{\w+\}/g, '*')) ? 'receive' : 'send';
    return { action, address };
  });
  expect(operations.map(({ action, address }) => ({ action, address }))).toEqual(expected);
});

test('every message belongs to a channel', () => {
  expect(operations.flatMap((operation) => Object.keys(operation.messages)).sort()).toEqual(
    Object.keys(messages).sort(),
  );
});

test('no pattern needs a Unicode class, which regular expressions of other languages lack', () => {
  const patterns = [...nodes(document)].map(({ node }) => node.pattern).filter((pattern) => pattern !== undefined);
  expect(patterns).not.toEqual([]);
  expect(patterns.filter((pattern) => /\\[pP]\{/.test(String(pattern)))).toEqual([]);
});

test('every payload, object and enum has a name, so that no generator invents one', () => {
  const within = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).map(([key, property]) => ({ at: `${name}.${key}`, property })),
  );
  expect(within.filter(({ property }) => property.properties || property.enum || property.anyOf)).toEqual([]);
  for (const { payload } of Object.values(messages)) expect(schemas).toHaveProperty(lastOf(payload));
});

test('every property is described', () => {
  expect(undescribedProperties(document)).toEqual([]);
});

describe.each(Object.entries(messages))('%s', (name, { payload, examples }) => {
  const example = examples[0]?.payload ?? {};
  const own = schemas[lastOf(payload)];
  const schema = own?.allOf ? schemas[lastOf(own.allOf[0])] : own;
  const operation = operations.find((one) => name in one.messages);

  test('the example is valid for its message and for no other in its channel', () => {
    const satisfied = Object.keys(operation?.messages ?? {}).filter((one) => accepts(one, example));
    expect(satisfied).toEqual([name]);
  });

  test('the example is invalid without a required property', () => {
    expect(schema?.required).not.toEqual([]);
    for (const property of schema?.required ?? []) {
      const { [property]: left, ...rest } = example;
      expect([property, left !== undefined, accepts(name, rest)]).toEqual([property, true, false]);
    }
  });

  test('the platform may send additional properties, but accepts none', () => {
    expect(accepts(name, { ...example, added_later: true })).toBe(operation?.action === 'send');
  });
});

test('a command update has at least one status, of the adapter or of the device', () => {
  const { adapter_status, device_execution_status, ...neither } = messages.CommandUpdate?.examples[0]?.payload ?? {};
  expect(accepts('CommandUpdate', neither)).toBe(false);
  expect(accepts('CommandUpdate', { ...neither, adapter_status })).toBe(true);
  expect(accepts('CommandUpdate', { ...neither, device_execution_status })).toBe(true);
});
