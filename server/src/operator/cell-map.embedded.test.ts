import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

const post = (cell: typeof eu, path: string, body: object) =>
  signedRequest(cell.admin, 'POST', `/api/v1/platform/tenants${path}`, { node: cell.baseUrl, body });
const create = async (cell: typeof eu, tenantId: string, client_id: string) => {
  const { status, body } = await post(cell, `/${tenantId}/credentials`, { client_id, name: client_id });
  return [status, body.code];
};
const linesOf = (maps: string, name: string) =>
  readFileSync(join(maps, `${name}.map`), 'utf8')
    .trim()
    .split('\n');

test('an id that another cell has, in whatever case, is left out and named; its neighbours are written', async () => {
  const maps = temporaryFolder();
  await post(other, '', { tenant_id: 'squatter', name: 'Squatter' });
  expect(await create(other, 'squatter', 'NEIGHBOUR')).toEqual([201, undefined]);
  expect(await create(one, 'demo', 'neighbour')).toEqual([201, undefined]);
  expect((await write(one, maps, 'a')).exitCode).toBe(0);
  expect(await create(other, 'squatter', 'honest')).toEqual([201, undefined]);
  const written = await write(other, maps, 'b');
  expect(written).toMatchObject({ exitCode: 9, stdout: expect.stringMatching(/b\.map has 1 client ids/) });
  expect(written.stderr.replaceAll(maps, '')).toBe(
    ['demo', 'NEIGHBOUR']
      .map(
        (id) =>
          `Left out ${id}: /a.map has it. If its tenant has moved here, write that part first. Otherwise create another credential in its place.\n`,
      )
      .join(''),
  );
  expect(linesOf(maps, 'b')).toEqual(['honest b;']);
});

test('the remedy works: a deleted id has no line, and another one has', async () => {
  const maps = temporaryFolder();
  writeFileSync(join(maps, 'b.map'), 'gone b;\n');
  await create(us, 'demo-us', 'gone');
  expect((await write(us, maps, 'a')).exitCode).toBe(9);
  await create(us, 'demo-us', 'comes');
  const gone = '/api/v1/platform/tenants/demo-us/credentials/gone';
  await signedRequest(us.admin, 'PUT', gone, { node: us.baseUrl, body: { status: 'DELETED' } });
  expect(await write(us, maps, 'a')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(linesOf(maps, 'a')).toEqual(['comes a;', 'demo-us a;']);
});

/** The hash of nginx cannot tell them apart: 31 times the one letter and the other are the same. */
const colliding = Array.from({ length: 20 }, (_, number) =>
  [...number.toString(2).padStart(5, '0')].map((bit) => (bit === '0' ? 'a~' : 'b_')).join(''),
);

test('of ids that nginx cannot tell apart, those above eight of one tenant are left out, and nobody else', async () => {
  const maps = temporaryFolder();
  await create(eu, 'demo-eu', 'honest');
  // Not in the order of their names.
  for (const id of colliding.toReversed()) expect(await create(eu, 'demo-eu', id)).toEqual([201, undefined]);
  await post(eu, '', { tenant_id: 'neighbour', name: 'Honest' });
  const collides = 'b_'.repeat(5);
  expect(await create(eu, 'neighbour', collides)).toEqual([201, undefined]);
  const written = await write(eu, maps, 'a');
  expect(written.exitCode).toBe(9);
  const [newest, oldest] = [colliding.slice(0, 12), colliding.slice(12)];
  expect(written.stderr).toBe(
    newest
      .toReversed()
      .map(
        (id) =>
          `Left out ${id}: its hash collides with too many older ids. Otherwise create another credential in its place.\n`,
      )
      .join(''),
  );
  expect(linesOf(maps, 'a').sort()).toEqual([...oldest, collides, 'demo-eu', 'honest'].map((id) => `${id} a;`).sort());
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
  expect(linesOf(maps, 'a')).toContain('demo a;');
  expect(readdirSync(empty)).toEqual([]);
});
