import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const dist = new URL('../dist/', import.meta.url);
const { operator } = await createTenant();
const environment = {
  TOP_BASE_URL: operator.base_url,
  TOP_CLIENT_ID: operator.client_id,
  TOP_SECRET: operator.secret,
};

/** Uses each part that the client loads late. There is no object store: the transfers are refused. */
const program = `
  // The first summary says that more follows, as it does after 10,000 commands.
  let older;
  const client = new TenantOpenPlatform({
    batch: { withinMs: 5 },
    fetch: async (...request) => {
      const answer = await fetch(...request);
      if (!older || !String(request[0]).includes('command-summary')) return answer;
      const more = { ...(await answer.json()), next_older_than: older };
      older = undefined;
      return Response.json(more);
    },
  });
  const commands = ['ok-1', 'fail-1'].map((device_id) => ({
    vendor: 'vendor_a', device_id, command_type: 'reboot', payload: {},
  }));
  const created = await client.commands.createMany(commands);
  const shared = await Promise.all(commands.map((command) => client.commands.create(command)));
  const statuses = [];
  for await (const { outcome } of client.commands.outcomes(created)) statuses.push(outcome.status);
  older = (await client.commands.list()).items[0].command_id;
  const { total } = await client.commands.summary();
  const resource = '019bd3a4-5c4e-7a55-9e84-ad4e5f607182';
  const refused = [];
  for (const transfer of [
    () => client.objects.upload(resource, 'key', new Blob(['content']), { contentType: 'text/plain' }),
    () => client.objects.download(resource, 'key'),
  ]) await transfer().catch((error) => refused.push(error.code ?? error.message));
  console.log(JSON.stringify({ shared: shared.map(({ status }) => status), statuses: statuses.sort(), refused, total }));`;

const run = async (file: string, source: string, env: Record<string, string> = {}) => {
  const path = join(temporaryFolder(), file);
  await writeFile(path, source);
  const { stdout } = await promisify(execFile)(process.execPath, [path], { env: { ...environment, ...env } });
  return JSON.parse(stdout);
};

const outcome = {
  shared: ['ACCEPTED', 'ACCEPTED'],
  statuses: ['FAILED', 'SUCCEEDED'],
  refused: ['NOT_FOUND', 'NOT_FOUND'],
  total: expect.any(Number),
};

test('what npm gets sends a batch and transfers objects, as an ES module; these calls load every late part', async () => {
  const coverage = temporaryFolder();
  const source = `import { TenantOpenPlatform } from '${new URL('index.js', dist)}';\n${program}`;
  expect(await run('program.mjs', source, { NODE_V8_COVERAGE: coverage })).toEqual(outcome);
  const loaded = new Set<string>();
  for (const file of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, file), 'utf8')) as { result: { url: string }[] };
    for (const { url } of result) loaded.add(url);
  }
  // Nothing imports a late part by name: index.js and the parts that it needs at once do not count.
  const late = (await readdir(dist)).filter((name) => /^(?!chunk-)[a-z-]+-[A-Z0-9]{8}\.js$/.test(name));
  expect(late).toHaveLength(2);
  expect(late.filter((name) => !loaded.has(new URL(name, dist).href))).toEqual([]);
});

test('what npm gets does the same as CommonJS', async () => {
  const source = `const { TenantOpenPlatform } = require('${new URL('index.cjs', dist).pathname}');\n(async () => {${program}})();`;
  expect(await run('program.cjs', source)).toEqual(outcome);
});
