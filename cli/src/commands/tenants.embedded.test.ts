import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTenant, platform, signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl, type World } from '../../test/topctl.js';

const { tenant_id: tenantId } = await createTenant();
await signedRequest(platform().admin, 'PUT', `/api/v1/platform/tenants/${tenantId}`, { body: { status: 'DISABLED' } });

const run = (argv: string[], world: World = {}) => topctl(argv, { env: environmentOf(platform().admin), ...world });

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('an export is NDJSON whose last line counts its items, on stdout and in a file', async () => {
  const cwd = temporaryFolder();
  const printed = await run(['tenants', 'export', tenantId, '--limit', '2']);
  const lines = linesOf(printed.stdout);
  expect(lines[0]).toMatchObject({ type: 'tenant', data: { tenant_id: tenantId, status: 'DISABLED' } });
  expect(lines.at(-1)).toEqual({ type: 'end', items: lines.length - 1 });
  expect(lines.filter(({ type }) => type === 'credential')).toHaveLength(3);

  const written = await run(['tenants', 'export', tenantId, '--file', 'tenant.ndjson'], { cwd });
  expect([written.exitCode, written.stdout]).toEqual([0, '']);
  expect(linesOf(readFileSync(join(cwd, 'tenant.ndjson'), 'utf8'))).toEqual(lines);
});

test('an export that is cut off leaves no file, and no last line on stdout', async () => {
  const cwd = temporaryFolder();
  let pages = 0;
  const cut: typeof fetch = async (...request) => {
    if (pages++ > 1) return new Response('{}', { status: 404 });
    return fetch(...request);
  };
  const written = await run(['tenants', 'export', tenantId, '--limit', '2', '--file', 'tenant.ndjson'], {
    cwd,
    fetch: cut,
  });
  expect([written.exitCode === 0, readdirSync(cwd)]).toEqual([false, []]);
  pages = 0;
  const printed = await run(['tenants', 'export', tenantId, '--limit', '2'], { fetch: cut });
  expect(printed.exitCode).not.toBe(0);
  expect(linesOf(printed.stdout).map(({ type }) => type)).not.toContain('end');
});

test('a deletion needs the tenant named twice and --yes', async () => {
  const unconfirmed = await run(['tenants', 'delete', tenantId]);
  expect([unconfirmed.exitCode, unconfirmed.stderr]).toEqual([2, expect.stringContaining('missing --confirm, --yes')]);
  const other = await run(['tenants', 'delete', tenantId, '--confirm', 'other', '--yes']);
  expect(other.stderr).toContain('VALIDATION_FAILED');
  const { exitCode, stdout } = await run(['tenants', 'delete', tenantId, '--confirm', tenantId, '--yes']);
  expect([exitCode, JSON.parse(stdout).status]).toEqual([0, 'DELETING']);
});
