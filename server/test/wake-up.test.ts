import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS, newCommand } from './support/commands.js';

/** Relay and waiting requests also poll, but seldom. Only signals are faster than this. */
const LOOKS_AGAIN_AFTER_MS = 2_000;

test('relay and waiting requests are woken: the outcome of a command arrives long before the next poll', async () => {
  const { operator, reader } = await createTenant();
  const durations: number[] = [];
  for (let round = 0; round < 5; round++) {
    const startedAt = performance.now();
    const commandId = await newCommand(operator);
    const { body } = await signedRequest(reader, 'GET', `${COMMANDS}/${commandId}?wait_seconds=30`);
    expect(body.status).toBe('SUCCEEDED');
    durations.push(performance.now() - startedAt);
  }
  const [, , median] = durations.sort((a, b) => a - b);
  expect(median).toBeLessThan(LOOKS_AGAIN_AFTER_MS * 0.75);
});
