import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS, newCommand } from '../../test/support/commands.js';

/** Waiting requests also poll, but seldom. Only signals are always faster than this. */
const LOOKS_AGAIN_AFTER_MS = 2_000;
/** With polls alone, one command in two would be as fast, and ten in a row only by a rare chance. */
const IN_A_ROW = 10;

test('waiting requests are woken: the outcomes of ten commands in a row arrive long before the next poll', {
  timeout: 300_000,
}, async () => {
  const { operator, reader } = await createTenant();
  // A busy machine may be slow now and then.
  for (let inARow = 0; inARow < IN_A_ROW; ) {
    // This device answers at once.
    const commandId = await newCommand(operator, { device_id: 'unsupported-1' });
    const read = () => signedRequest(reader, 'GET', `${COMMANDS}/${commandId}?wait_seconds=30`);
    const { status, completed_at } = (await read()).body;
    expect(status).toBe('UNSUPPORTED');
    inARow = Date.now() - Date.parse(completed_at) < LOOKS_AGAIN_AFTER_MS / 2 ? inARow + 1 : 0;
  }
});
