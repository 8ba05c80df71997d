import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { PlatformEvent } from '../events.js';
import { CommandMessage, CommandUpdate, DeviceReplyMessage, DeviceRequestMessage } from './messages.js';

const page = readFileSync(new URL('../../../docs/bus-messages.md', import.meta.url), 'utf8');
const shown = [...page.matchAll(/^## (.*?)$[\s\S]*?^```json\n([\s\S]*?)^```$/gm)].map(([, heading, text]) => ({
  heading,
  message: JSON.parse(text as string),
}));

const messages: [string, z.ZodType][] = [
  ['Command', CommandMessage],
  ['Command update', CommandUpdate],
  ['Device request', DeviceRequestMessage],
  ['Device reply', DeviceReplyMessage],
  ['Event', PlatformEvent],
];

test('docs/bus-messages.md shows every message of the bus', () => {
  expect(shown.map(({ heading }) => heading)).toEqual(messages.map(([heading]) => heading));
});

test.each(messages)(
  '%s: the example of docs/bus-messages.md is the one of its schema, and is valid',
  (heading, schema) => {
    const { example, examples } = schema.meta() ?? {};
    const message = shown.find((block) => block.heading === heading)?.message;
    expect([example, examples].flat()).toContainEqual(message);
    expect(schema.parse(message)).toEqual(message);
  },
);
