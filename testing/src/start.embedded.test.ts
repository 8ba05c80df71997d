import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { atEnd, temporaryFolder } from './at-end.js';
import { freePort } from './free-port.js';
import { stopGroup } from './stop-group.js';
import { untilPrinted } from './until-printed.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FIRST_COMMAND = /^ {2}(npx topctl .* commands create .*)$/m;

/** A user with a home, and a folder for the data. */
async function newUser() {
  const home = temporaryFolder();
  const { PATH, TMPDIR } = process.env;
  const port = await freePort();
  const env = { PATH, TMPDIR, HOME: home, DATA_DIR: join(home, 'data'), PORT: String(port) };
  const profiles = join(home, '.config/topctl/profiles.json');
  return { env, home, profiles, baseUrl: `http://127.0.0.1:${port}` };
}

async function npmStart({ env }: { env: NodeJS.ProcessEnv }) {
  const npm = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  atEnd(() => stopGroup(npm));
  return { npm, printed: await untilPrinted(npm, /"msg":"ready"/) };
}

const shell = async (line: string, env: NodeJS.ProcessEnv) =>
  JSON.parse((await promisify(execFile)('sh', ['-c', line], { cwd: root, env })).stdout);

// Up to two starts, each of which looks whether to build.
describe('npm start', { timeout: 180_000 }, () => {
  test('saves the profiles admin and demo, and prints a first command that works', async () => {
    const user = await newUser();
    const { npm, printed } = await npmStart(user);
    expect(printed).toContain('topctl has saved them as profiles: --profile admin, --profile demo');
    const [, firstCommand = ''] = FIRST_COMMAND.exec(printed) ?? [];
    expect(firstCommand).toContain('npx topctl --profile demo commands create');
    expect(printed).not.toContain('@tenant-open-platform/cli');
    expect(await shell(firstCommand, user.env)).toMatchObject({ device_id: 'ok-1', status: 'SUCCEEDED' });
    expect(await shell('npx topctl --profile admin tenants list', user.env)).toContainEqual(
      expect.objectContaining({ tenant_id: 'demo' }),
    );

    // A second start changes nothing: the saved secret may be newer than the file.
    const before = readFileSync(user.profiles, 'utf8');
    expect(Object.keys(JSON.parse(before))).toEqual(['profiles']);
    await stopGroup(npm);
    writeFileSync(join(user.env.DATA_DIR, 'demo.json'), JSON.stringify({ client_id: 'demo', secret: 'older' }));
    expect((await npmStart(user)).printed).toContain('npx topctl --profile demo commands create');
    expect(readFileSync(user.profiles, 'utf8')).toBe(before);
  });

  test('replaces a profile of this address and credential whose secret no longer works', async () => {
    const user = await newUser();
    write(user.profiles, { demo: { base_url: user.baseUrl, client_id: 'demo', secret: 'of data that is deleted' } });
    const { printed } = await npmStart(user);
    const [, firstCommand = ''] = FIRST_COMMAND.exec(printed) ?? [];
    expect(await shell(firstCommand, user.env)).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('leaves a profile of another platform or of another credential alone, and says so', async () => {
    const user = await newUser();
    const theirs = {
      admin: { base_url: user.baseUrl, client_id: 'ann', secret: 'a' },
      demo: { base_url: 'https://api.example.com', client_id: 'demo', secret: 'b' },
    };
    const before = write(user.profiles, theirs, 'demo');
    const { printed } = await npmStart(user);
    expect(printed).toContain(`topctl has another profile admin, ann at ${user.baseUrl}: it stays as it is.`);
    expect(printed).toContain('topctl has another profile demo, demo at https://api.example.com: it stays as it is.');
    expect(readFileSync(user.profiles, 'utf8')).toBe(before);
    const [, firstCommand = ''] = FIRST_COMMAND.exec(printed) ?? [];
    expect(firstCommand).toContain(`--profile-file ${user.env.DATA_DIR}/demo.json`);
    expect(await shell(firstCommand, user.env)).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('starts, and says why, if the profiles cannot be saved', async () => {
    const user = await newUser();
    writeFileSync(join(user.home, '.config'), 'a file');
    const { printed } = await npmStart(user);
    expect(printed).toMatch(/^The credentials are not saved as profiles of topctl\. error: .+$/m);
    expect(printed).toContain(`npx topctl --profile-file ${user.env.DATA_DIR}/demo.json commands create`);
  });

  test('ends the platform after a SIGTERM for npm alone', async () => {
    const user = await newUser();
    const { npm } = await npmStart(user);
    expect((await fetch(`${user.baseUrl}/livez`)).status).toBe(200);
    process.kill(npm.pid as number, 'SIGTERM');
    // Every process that inherited its output has ended.
    await once(npm, 'close');
    await expect(fetch(`${user.baseUrl}/livez`)).rejects.toThrow('fetch failed');
  });
});

function write(path: string, profiles: object, current?: string): string {
  mkdirSync(join(path, '..'), { recursive: true });
  const text = JSON.stringify({ profiles, current });
  writeFileSync(path, text, { mode: 0o600 });
  return text;
}
