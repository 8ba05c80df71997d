import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signedRequest, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { runMain } from '../../test/support/private-platform.js';

const cells = await Promise.all([
  startNode({ ...unlimited, CELL: 'eu' }),
  startNode({ ...unlimited, CELL: 'us' }),
  startNode(unlimited),
  startNode(unlimited),
]);
const [eu, us, one, other] = cells;

const write = ({ folder }: { folder: string }, maps: string, name: string) =>
  runMain(['cell-map', '--upstream', name, '--file', join(maps, `${name}.map`)], { DATA_DIR: folder });

test('with the setting CELL, the ids of first starts differ, and one map has the cells', async () => {
  const maps = temporaryFolder();
  expect([eu.admin.client_id, eu.demo.tenant_id]).toEqual(['platform-admin-eu', 'demo-eu']);
  const all = [await write(eu, maps, 'a'), await write(us, maps, 'b'), await write(one, maps, 'c')];
  expect(all.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect(['a', 'b', 'c'].map((name) => readFileSync(join(maps, `${name}.map`), 'utf8'))).toEqual([
    'demo-eu a;\n',
    'demo-us b;\n',
    'demo c;\n',
  ]);
});

test('nothing is written if two cells have the same id: the line names the id and the other part', async () => {
  const maps = temporaryFolder();
  expect((await write(one, maps, 'a')).exitCode).toBe(0);
  expect(await write(other, maps, 'b')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^cell-map: .*a\.map has the client_id demo too\..* Nothing was written\.\n$/),
  });
  expect(readdirSync(maps)).toEqual(['a.map']);
  const body = { client_id: 'Demo-us', name: 'differs in case only' };
  await signedRequest(us.admin, 'POST', '/api/v1/platform/tenants/demo-us/credentials', { body });
  expect(await write(us, maps, 'c')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Demo-us and demo-us are the same'),
  });
});

test('a DATA_DIR without a running platform is refused: neither the map nor the folder changes', async () => {
  const maps = temporaryFolder();
  await write(one, maps, 'a');
  const empty = temporaryFolder();
  for (const folder of [empty, join(empty, 'mistyped')]) {
    expect(await write({ folder }, maps, 'a')).toMatchObject({
      exitCode: 1,
      stderr: `cell-map: no platform is running in DATA_DIR ${folder}. Start it, or name the DATABASE_URL. Nothing was written.\n`,
    });
  }
  expect(readFileSync(join(maps, 'a.map'), 'utf8')).toBe('demo a;\n');
  expect(readdirSync(empty)).toEqual([]);
});
