import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTenant, platform, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

const schema = { type: 'object', properties: { level: { maximum: 3 } }, additionalProperties: false };

test('a vendor and a command type are put into the catalog, changed, used, disabled and listed', async () => {
  const { operator } = await createTenant();
  const world = { env: environmentOf(platform().admin), cwd: temporaryFolder() };
  const vendor = `vendor-${crypto.randomUUID()}`;
  const send = async (payload: object) => {
    const argv = ['commands', 'create', '--vendor', vendor, '--device-id', 'd', '--command-type', 'dim'];
    const { exitCode, stderr } = await topctl([...argv, '--payload', JSON.stringify(payload)], {
      env: environmentOf(operator),
    });
    return exitCode === 0 ? 'accepted' : /\(([A-Z_]+)\)/.exec(stderr)?.[1];
  };
  const putVendor = ['vendors', 'put', vendor];
  const made = await topctl([...putVendor, '--enabled', 'true'], world);
  expect(JSON.parse(made.stdout)).toMatchObject({ vendor, enabled: true });

  const put = ['command-types', 'put', vendor, 'dim'];
  await writeFile(join(world.cwd, 'schema.json'), JSON.stringify(schema));
  const created = await topctl([...put, '--description', 'Dims it.', '--payload-schema', '@schema.json'], world);
  const first = { vendor, command_type: 'dim', enabled: true, description: 'Dims it.', payload_schema: schema };
  expect(JSON.parse(created.stdout)).toMatchObject({ ...first, revision: 1 });
  expect([await send({ level: 3 }), await send({ level: 4 })]).toEqual(['accepted', 'COMMAND_PAYLOAD_INVALID']);
  const changed = await topctl([...put, '--payload-schema', '-'], { ...world, stdin: '{"type": "object"}' });
  expect(JSON.parse(changed.stdout)).toMatchObject({ revision: 2, description: 'Dims it.', enabled: true });
  expect(await send({ level: 4 })).toBe('accepted');

  const typeOff = await topctl([...put, '--enabled', 'false'], { ...world, typed: ['y'] });
  expect(typeOff.stderr).toContain(`Disable the command type dim of ${vendor} for every tenant?`);
  expect(JSON.parse(typeOff.stdout)).toMatchObject({ enabled: false, revision: 2 });
  expect(await send({})).toBe('COMMAND_TYPE_UNKNOWN');
  const typeIds = await topctl(['command-types', 'list', vendor, '-o', 'id'], world);
  expect(typeIds.stdout).toBe(`${vendor} dim\n`);

  const vendorOff = await topctl([...putVendor, '--enabled', 'false'], { ...world, typed: ['y'] });
  expect(vendorOff.stderr).toContain(`Disable the vendor ${vendor} for every tenant?`);
  expect(await send({})).toBe('VENDOR_NOT_ENABLED');
  const table = await topctl(['vendors', 'list', '--all', '-o', 'table'], world);
  expect(table.stdout).toMatch(/^VENDOR +ENABLED +LAST_READ_AT +CREATED_AT\n/);
  expect(table.stdout).toMatch(new RegExp(`^${vendor} +false `, 'm'));
});

test('a disabled status chosen at the prompt is confirmed too', async () => {
  const vendor = `vendor-${crypto.randomUUID()}`;
  const world = { env: environmentOf(platform().admin), typed: ['\u001b[B\r', 'n'] };
  const { exitCode, stderr } = await topctl(['vendors', 'put', vendor], world);
  expect(exitCode).toBe(130);
  expect(stderr).toContain(`Disable the vendor ${vendor} for every tenant?`);
});
