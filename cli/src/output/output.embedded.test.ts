import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

test('a terminal gets a table, a pipe gets JSON', async () => {
  const { reader } = await createTenant();
  const env = environmentOf(reader);
  const terminal = await topctl(['whoami'], { env, table: true });
  expect(terminal.stdout).toMatch(/^requests_per_minute_per_tenant +\d+$/m);
  expect(terminal.stdout).toMatch(/^object_resources_per_tenant +200$/m);
  expect(terminal.stdout).toMatch(new RegExp(`^client_id +${reader.client_id}$`, 'm'));
  expect(terminal.stdout).not.toContain('request_id');
  expect(JSON.parse((await topctl(['whoami'], { env })).stdout)).toMatchObject({ client_id: reader.client_id });
});

test('colours are for terminals, and NO_COLOR turns them off', async () => {
  const { reader } = await createTenant();
  const env = environmentOf(reader);
  const coloured = await topctl(['whoami'], { env: { ...env, NO_COLOR: undefined }, table: true });
  const plain = await topctl(['whoami'], { env, table: true });
  const piped = await topctl(['whoami', '-o', 'table'], { env: { ...env, NO_COLOR: undefined } });
  const escapeCharacter = String.fromCharCode(27);
  expect([coloured, plain, piped].map(({ stdout }) => stdout.includes(escapeCharacter))).toEqual([true, false, false]);
});
