import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from './at-end.js';
import { createTenant, platform } from './index.js';

const { resolve } = createRequire(import.meta.url);

/** What each request of the collection is answered, by newman, which runs collections of Postman. */
async function run(names: readonly string[], variables: Record<string, string>): Promise<Record<string, number>> {
  const folder = temporaryFolder();
  const report = join(folder, 'report.json');
  await promisify(execFile)(process.execPath, [
    resolve('newman/bin/newman.js'),
    'run',
    resolve('@tenant-open-platform/contract/postman.json'),
    ...names.flatMap((name) => ['--folder', name]),
    ...Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]),
    ...['--reporters', 'json', '--reporter-json-export', report],
  ]);
  const { executions } = JSON.parse(readFileSync(report, 'utf8')).run;
  return Object.fromEntries(
    executions.map(({ item, response }: { item: { name: string }; response: { code: number } }) => [
      item.name,
      response.code,
    ]),
  );
}

test('the Postman collection signs what it sends, with a body, with a query and without either', async () => {
  const { operator, admin, tenant_id } = await createTenant();
  const base_url = platform().nodes[0] ?? '';
  const ofOperator = { base_url, client_id: operator.client_id, secret: operator.secret };
  expect(await run(['commands.create', 'commands.list', 'me.get'], ofOperator)).toEqual({
    'commands.create': 202,
    'commands.list': 200,
    'me.get': 200,
  });
  const ofAdmin = { base_url, client_id: admin.client_id, secret: admin.secret, tenant_id };
  expect(await run(['credentials.list', 'roles.list'], ofAdmin)).toEqual({
    'credentials.list': 200,
    'roles.list': 200,
  });
}, 180_000);
