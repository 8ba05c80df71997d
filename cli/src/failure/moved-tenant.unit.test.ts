import { temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { topctl, unusedSecret } from '../../test/topctl.js';

const OLD = 'https://cell-a.example.com';
const NEW = 'https://cell-b.example.com';
const me = { tenant_id: 'acme', client_id: 'c', scopes: [], roles: [], request_id: 'r' };

/** The platform at the old address, before and after the move. Nothing may be sent to another address. */
const platform =
  (isMoved: () => boolean): typeof fetch =>
  async (url) => {
    expect(String(url)).toMatch(/^https:\/\/cell-a\.example\.com\//);
    if (!isMoved()) return Response.json(me);
    const refusal = { code: 'TENANT_MOVED', message: 'Moved.', request_id: 'r', metadata: { base_url: NEW } };
    return Response.json(refusal, { status: 421 });
  };

async function loggedIn() {
  const cwd = temporaryFolder();
  let isMoved = false;
  const fetch = platform(() => isMoved);
  const login = ['login', '--base-url', OLD, '--client-id', 'c', '--profile', 'acme'];
  expect(await topctl(login, { cwd, fetch, stdin: unusedSecret })).toMatchObject({ exitCode: 0 });
  isMoved = true;
  const addressOf = async () => JSON.parse((await topctl(['profile', 'list'], { cwd })).stdout)[0].base_url;
  return { cwd, fetch, addressOf };
}

const argv = ['commands', 'list', '--profile', 'acme'];

test('without a terminal, a moved tenant: the command that changes the profile, which works', async () => {
  const { cwd, fetch, addressOf } = await loggedIn();
  const { exitCode, stderr } = await topctl(argv, { cwd, fetch });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`The operator has moved the tenant to ${NEW}.`);
  expect(await addressOf()).toBe(OLD);
  const [, next = ''] = /next: topctl (.+)/.exec(stderr) ?? [];
  expect(next).toBe(`profile move acme ${NEW}`);
  expect(await topctl(next.split(' '), { cwd })).toMatchObject({ exitCode: 0 });
  expect(await addressOf()).toBe(NEW);
});

test.each([
  ['changes the profile after a yes', 'y', NEW],
  ['keeps it after a no', 'n', OLD],
])('in a terminal it asks, and %s', async (_, answer, expected) => {
  const { cwd, fetch, addressOf } = await loggedIn();
  const { stderr } = await topctl(argv, { cwd, fetch, typed: [answer] });
  expect(stderr).toContain(`Change the address of the profile acme to ${NEW}?`);
  expect(await addressOf()).toBe(expected);
});

test.each(['cell-b', 'ftp://cell-b.example.com', `${NEW}/?a=b`, `${NEW}/api/v1`, 'https://a:b@cell-b.example.com'])(
  'a profile never gets the address %s',
  async (address) => {
    const { cwd, addressOf } = await loggedIn();
    expect(await topctl(['profile', 'move', 'acme', address], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is no address of a platform'),
    });
    expect(await addressOf()).toBe(OLD);
  },
);
