import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import fs, {
  chmod,
  type FileHandle,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { atEnd, createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { startObjectStore } from '@tenant-open-platform/testing/start-object-store';
import { describe, expect, test, vi } from 'vitest';
import { environmentOf, type Outcome, topctl, unusedSecret, type World } from '../../test/topctl.js';

const SECRET = 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY';
const unreachable = { TOP_BASE_URL: 'http://127.0.0.1:1', TOP_CLIENT_ID: 'nobody', TOP_SECRET: unusedSecret };

const store = await startObjectStore();
atEnd(store.stop);

const credentialOf = (endpoint: string, accessKeyId: string) => [
  ...['object-credentials', 'create', '--name', 'Store', '--endpoint', endpoint, '--region', 'us-east-1'],
  ...['--access-key-id', accessKeyId, '--force-path-style', 'true'],
];

async function fresh() {
  const { admin, operator, tenant_id } = await createTenant();
  const cwd = temporaryFolder();
  return { tenant_id, asAdmin: { cwd, env: environmentOf(admin) }, asOperator: { cwd, env: environmentOf(operator) } };
}

const idOf = ({ stdout, stderr, exitCode }: Outcome) => {
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.trim();
};

/** A tenant whose operator may upload and download, and the flags that name the resource. */
async function withResource(...policy: string[]) {
  const world = await fresh();
  const credential = [
    ...credentialOf(store.endpoint, store.access_key_id),
    '--secret-access-key-file',
    '-',
    '-o',
    'id',
  ];
  const credentialId = idOf(await topctl(credential, { ...world.asAdmin, stdin: store.secret_access_key }));
  const resource = [
    ...['object-resources', 'create', '--name', 'Files', '--credential-id', credentialId, '--bucket', store.bucket],
    ...['--allowed-operations', 'UPLOAD,DOWNLOAD', '--key-prefix', `${world.tenant_id}/`, ...policy, '-o', 'id'],
  ];
  const resourceId = idOf(await topctl(resource, world.asAdmin));
  const at = (key: string) => ['--resource-id', resourceId, '--object-key', key];
  return { ...world, credentialId, resourceId, at };
}

describe('transfers', () => {
  test('a file is the same after upload and download', async () => {
    const { asOperator, at } = await withResource();
    const content = randomBytes(1_500_000);
    await writeFile(join(asOperator.cwd, 'up.bin'), content);
    const up = await topctl(['objects', 'upload', 'up.bin', ...at('a/b c+d.bin')], asOperator);
    expect(up).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(up.stdout)).toMatchObject({
      object_key: 'a/b c+d.bin',
      content_type: 'application/octet-stream',
      content_length: 1_500_000,
      checksum_sha256: expect.stringMatching(/^.{43}=$/),
    });
    const down = await topctl(['objects', 'download', 'down.bin', ...at('a/b c+d.bin')], asOperator);
    expect(down).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(down.stdout)).toMatchObject({ object_key: 'a/b c+d.bin', content_length: 1_500_000 });
    expect((await readFile(join(asOperator.cwd, 'down.bin'))).equals(content)).toBe(true);
    expect((await readdir(asOperator.cwd)).sort()).toEqual(['down.bin', 'up.bin']);
  });

  test('stdin can be uploaded, and stdout gets only the content', async () => {
    const { asOperator, at } = await withResource();
    const upload = ['objects', 'upload', '-', '--content-type', 'text/plain', ...at('log.txt'), '-o', 'id'];
    expect(await topctl(upload, { ...asOperator, stdin: 'line\n' })).toMatchObject({ stdout: 'log.txt\n', stderr: '' });
    const download = await topctl(['objects', 'download', '-', ...at('log.txt')], asOperator);
    expect(download).toEqual({ exitCode: 0, stdout: 'line\n', stderr: '' });
  });

  test('an empty file can be uploaded and downloaded', async () => {
    const { asOperator, at } = await withResource();
    await writeFile(join(asOperator.cwd, 'empty'), '');
    expect((await topctl(['objects', 'upload', 'empty', ...at('empty')], asOperator)).exitCode).toBe(0);
    expect((await topctl(['objects', 'download', 'down', ...at('empty')], asOperator)).exitCode).toBe(0);
    expect(await readFile(join(asOperator.cwd, 'down'), 'utf8')).toBe('');
  });

  test('a terminal shows the progress, and the line is cleared at the end', async () => {
    const { asOperator, at } = await withResource();
    await writeFile(join(asOperator.cwd, 'up'), randomBytes(1_500_000));
    const terminal = { ...asOperator, typed: [] };
    const up = await topctl(['objects', 'upload', 'up', ...at('k')], terminal);
    const down = await topctl(['objects', 'download', 'down', ...at('k')], terminal);
    for (const { stderr } of [up, down]) {
      expect(stderr).toMatch(/█+░+ +\d\d % of 1\.5 MB/);
      expect(stderr).toMatch(/█{30} 100 % of 1\.5 MB\r\S*$/);
    }
  });

  test.each(['nowhere', '.'])('%s cannot be uploaded: exit code 2, nothing is sent', async (file) => {
    const cwd = temporaryFolder();
    const argv = ['objects', 'upload', file, '--resource-id', 'r', '--object-key', 'k'];
    const { exitCode, stderr } = await topctl(argv, { cwd, env: unreachable });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`cannot read ${file}: `);
  });
});

describe('a file that exists', () => {
  async function withObject() {
    const world = await withResource();
    const upload = ['objects', 'upload', '-', ...world.at('k')];
    expect((await topctl(upload, { ...world.asOperator, stdin: 'new' })).exitCode).toBe(0);
    await writeFile(join(world.asOperator.cwd, 'file'), 'old');
    const read = () => readFile(join(world.asOperator.cwd, 'file'), 'utf8');
    return { ...world, read, download: ['objects', 'download', 'file', ...world.at('k')] };
  }

  test('is replaced only after a confirmation', async () => {
    const { asOperator, download, read } = await withObject();
    expect(await topctl(download, asOperator)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('missing --yes'),
    });
    const asked = await topctl(download, { ...asOperator, typed: ['n'] });
    expect(asked.exitCode).toBe(130);
    expect(asked.stderr).toContain('Replace file?');
    expect(await read()).toBe('old');
    expect((await topctl([...download, '--yes'], asOperator)).exitCode).toBe(0);
    expect(await read()).toBe('new');
  });

  test('keeps its mode, whatever the umask', async () => {
    const { asOperator, download, read } = await withObject();
    const file = join(asOperator.cwd, 'file');
    for (const mode of [0o600, 0o666]) {
      await chmod(file, mode);
      expect((await topctl([...download, '--yes'], asOperator)).exitCode).toBe(0);
      expect((await stat(file)).mode & 0o777).toBe(mode);
    }
    expect(await read()).toBe('new');
  });

  test('behind a link is replaced, and the link stays, even if its target does not exist yet', async () => {
    const { asOperator, at } = await withObject();
    const { cwd } = asOperator;
    await mkdir(join(cwd, 'images'));
    await writeFile(join(cwd, 'images', 'old'), 'old');
    for (const target of ['old', 'none-yet']) {
      await symlink(join('..', 'link'), join(cwd, 'images', 'back'));
      await symlink(join('images', target), join(cwd, 'link'));
      const download = ['objects', 'download', 'images/back', ...at('k'), '--yes'];
      expect((await topctl(download, asOperator)).exitCode).toBe(0);
      expect(await readFile(join(cwd, 'images', target), 'utf8')).toBe('new');
      expect(await readlink(join(cwd, 'link'))).toBe(join('images', target));
      expect(await readlink(join(cwd, 'images', 'back'))).toBe(join('..', 'link'));
      await Promise.all([unlink(join(cwd, 'link')), unlink(join(cwd, 'images', 'back'))]);
    }
    expect((await readdir(join(cwd, 'images'))).sort()).toEqual(['none-yet', 'old']);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('is unchanged after %s: exit code 130', async (name) => {
    const { asOperator, download, read } = await withObject();
    const signals = new EventEmitter();
    const endless: typeof fetch = async (input, init) => {
      if (!String(input).startsWith(store.endpoint)) return fetch(input, init);
      const body = new ReadableStream({
        start(controller) {
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
          controller.enqueue(new TextEncoder().encode('a part'));
        },
      });
      return new Response(body);
    };
    const parts = async () => {
      const names = (await readdir(asOperator.cwd)).filter((name) => name.endsWith('.part'));
      return Promise.all(names.map((name) => readFile(join(asOperator.cwd, name), 'utf8')));
    };
    const running = topctl([...download, '--yes'], { ...asOperator, fetch: endless, signals });
    await vi.waitFor(async () => expect(await parts()).toEqual(['a part']), { timeout: 60_000 });
    signals.emit(name);
    const outcome = await running;
    expect(outcome).toEqual({ exitCode: 130, stdout: '', stderr: 'cancelled\n' });
    expect(await read()).toBe('old');
    expect(await readdir(asOperator.cwd)).toEqual(['file']);
    expect(signals.eventNames()).toEqual([]);
  });

  test('is unchanged after a broken download, and no temporary file is left', async () => {
    const { asOperator, download, read } = await withObject();
    const broken = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('a part'));
          },
          pull(controller) {
            controller.error(new Error('cut'));
          },
        }),
      );
    const breaking: typeof fetch = (input, init) =>
      String(input).startsWith(store.endpoint) ? Promise.resolve(broken()) : fetch(input, init);
    const { exitCode, stderr } = await topctl([...download, '--yes'], { ...asOperator, fetch: breaking });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'error: The transfer failed: cut.\n' });
    expect(await read()).toBe('old');
    expect(await readdir(asOperator.cwd)).toEqual(['file']);
  });

  test('is unchanged if there is no such object: exit code 3', async () => {
    const { asOperator, at, read } = await withObject();
    const missing = await topctl(['objects', 'download', 'file', ...at('missing'), '--yes'], asOperator);
    expect(missing).toMatchObject({ exitCode: 3, stdout: '' });
    expect(missing.stderr).toContain('NoSuchKey');
    expect(await read()).toBe('old');
    expect(await readdir(asOperator.cwd)).toEqual(['file']);
  });

  test('is named in the prompt if a link leads to it', async () => {
    const { asOperator, at, read } = await withObject();
    await symlink('file', join(asOperator.cwd, 'link'));
    const asked = await topctl(['objects', 'download', 'link', ...at('k')], { ...asOperator, typed: ['n'] });
    expect(asked.exitCode).toBe(130);
    expect(asked.stderr).toContain(`Replace ${await realpath(join(asOperator.cwd, 'file'))}, which link links to?`);
    expect(await read()).toBe('old');
  });

  test('that cannot be inspected is not treated as absent: nothing is asked, sent or written', async () => {
    const cwd = temporaryFolder();
    const refuse = async () => {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    };
    const argv = ['objects', 'download', 'file', '--resource-id', 'r', '--object-key', 'k', '--yes'];
    const { exitCode, stderr } = await topctl(argv, { cwd, env: unreachable, fs: { ...fs, stat: refuse } });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: cannot write file: EACCES: permission denied\n',
    });
  });

  test.each(['chmod', 'sync', 'close'] as const)(
    'is unchanged if %s fails, and no temporary file is left',
    async (call) => {
      const { asOperator, download, read } = await withObject();
      const opened: FileHandle[] = [];
      const open: typeof fs.open = async (...target) => {
        const file = await fs.open(...target);
        opened.push(file);
        const fail = async () => {
          throw new Error(`EIO: ${call} failed`);
        };
        return Object.assign(Object.create(file), { [call]: fail });
      };
      const outcome = await topctl([...download, '--yes'], { ...asOperator, fs: { ...fs, open } });
      expect(outcome.exitCode).not.toBe(0);
      expect(outcome.stderr).toContain(`EIO: ${call} failed`);
      expect(await read()).toBe('old');
      expect(await readdir(asOperator.cwd)).toEqual(['file']);
      expect(opened.map(({ fd }) => fd)).toEqual([call === 'close' ? expect.any(Number) : -1]);
      await Promise.all(opened.map((file) => file.close()));
    },
  );

  test.each(['file', '-'])(
    'is not written, with %s, if the store has the object with a Content-Encoding',
    async (to) => {
      const { asOperator, at, read } = await withObject();
      const canceled = vi.fn();
      const encoded: typeof fetch = async (input, init) =>
        String(input).startsWith(store.endpoint)
          ? new Response(new ReadableStream({ cancel: canceled }), { headers: { 'Content-Encoding': 'gzip' } })
          : fetch(input, init);
      const argv = ['objects', 'download', to, ...at('k'), '--yes'];
      const { exitCode, stdout, stderr } = await topctl(argv, { ...asOperator, fetch: encoded });
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/^error: the store answered with Content-Encoding gzip, .* topctl objects presign/);
      expect(canceled).toHaveBeenCalledOnce();
      expect(await read()).toBe('old');
      expect(await readdir(asOperator.cwd)).toEqual(['file']);
    },
  );

  test('that is a folder is refused before anything is sent', async () => {
    const cwd = temporaryFolder();
    await mkdir(join(cwd, 'folder'));
    const argv = ['objects', 'download', 'folder', '--resource-id', 'r', '--object-key', 'k', '--yes'];
    const { exitCode, stderr } = await topctl(argv, { cwd, env: unreachable });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: folder is not a file; use - for stdout\n',
    });
  });

  test('fetches nothing if the file cannot be written', async () => {
    const argv = ['objects', 'download', 'no-folder/x.bin', '--resource-id', 'r', '--object-key', 'k'];
    const { exitCode, stderr } = await topctl(argv, { cwd: temporaryFolder(), env: unreachable });
    expect(exitCode).toBe(2);
    // The error does not name the platform, because it is not called.
    expect(stderr).toMatch(/^error: cannot write no-folder\/x\.bin: ENOENT/);
  });
});

describe('presign', () => {
  test('prints a request that anyone can send, and its expiry', async () => {
    const { asOperator, at } = await withResource();
    const upload = ['objects', 'presign', '--operation', 'UPLOAD', ...at('k'), '--content-type', 'text/plain'];
    const up = await topctl([...upload, '--content-length', '2'], asOperator);
    const put = JSON.parse(up.stdout);
    expect(up.stderr).toBe(`Anyone who has the URL can use it until ${put.expires_at}.\n`);
    expect((await fetch(put.url, { method: put.method, headers: put.headers, body: 'hi' })).status).toBe(200);
    const download = ['objects', 'presign', '--operation', 'DOWNLOAD', ...at('k'), '--expires-in-seconds', '60'];
    const get = JSON.parse((await topctl(download, asOperator)).stdout);
    expect(await (await fetch(get.url)).text()).toBe('hi');
  });

  test('refused by the policy: exit code 5, and every violated rule', async () => {
    const { asOperator, at } = await withResource('--max-object-bytes', '3', '--allowed-content-types', 'image/*');
    const { exitCode, stderr } = await topctl(['objects', 'upload', '-', ...at('k')], { ...asOperator, stdin: 'four' });
    expect(exitCode).toBe(5);
    expect(stderr).toContain('(OBJECT_POLICY_DENIED)');
    expect(stderr).toMatch(/^ {2}--content-type: /m);
    expect(stderr).toMatch(/^ {2}--content-length: /m);
  });
});

describe('object-credentials', () => {
  const create = credentialOf('https://objects.example.com', 'ACMEFIRMWARE');

  test.each<[string, string[], Pick<World, 'stdin' | 'typed'>]>([
    ['a file', ['--secret-access-key-file', 'key.txt'], {}],
    ['stdin', ['--secret-access-key-file', '-'], { stdin: `${SECRET}\n` }],
    ['a prompt', [], { typed: [`${SECRET}\r`] }],
  ])('the secret half of the access key comes from %s, and is not shown', async (_, flags, input) => {
    const { asAdmin } = await fresh();
    await writeFile(join(asAdmin.cwd, 'key.txt'), `${SECRET}\n`);
    const sent: string[] = [];
    const watching: typeof fetch = (url, init) => {
      sent.push(String(init?.body));
      return fetch(url, init);
    };
    const created = await topctl([...create, ...flags], { ...asAdmin, ...input, fetch: watching });
    expect(created.exitCode).toBe(0);
    expect(JSON.parse(created.stdout)).toMatchObject({ access_key_id: 'ACMEFIRMWARE', secret_version: 1 });
    expect(JSON.parse(sent.at(-1) ?? '')).toMatchObject({ secret_access_key: SECRET });
    const listed = await topctl(['object-credentials', 'list'], asAdmin);
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
    expect(JSON.stringify([created, listed])).not.toContain(SECRET);
  });

  test('without a terminal the file of the secret is among the missing flags', async () => {
    const { exitCode, stderr } = await topctl(['object-credentials', 'create', '--name', 'x'], { env: unreachable });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('missing --endpoint, --region, --access-key-id, --secret-access-key-file');
  });

  test.each([
    [['--secret-access-key-file', 'nowhere'], 'cannot read nowhere of --secret-access-key-file: '],
    [['--secret-access-key-file', '-'], '--secret-access-key-file - is empty'],
  ])('%j is refused before anything is sent', async (flags, message) => {
    const { exitCode, stderr } = await topctl([...create, ...flags], { env: unreachable });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  test('update rotates the access key with both halves, and changes only the given fields', async () => {
    const { asAdmin, credentialId } = await withResource();
    const rotate = ['object-credentials', 'update', credentialId, '--access-key-id', 'NEW'];
    expect(await topctl(rotate, asAdmin)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('missing --secret-access-key-file'),
    });
    const flags = ['--secret-access-key-file', '-', '--provider', 'minio', '--name', 'Renamed'];
    const rotated = await topctl([...rotate, ...flags], { ...asAdmin, stdin: SECRET });
    expect(JSON.parse(rotated.stdout)).toMatchObject({
      access_key_id: 'NEW',
      secret_version: 2,
      provider: 'minio',
      name: 'Renamed',
    });
    const unlabelled = await topctl(['object-credentials', 'update', credentialId, '--provider', 'none'], asAdmin);
    expect(JSON.parse(unlabelled.stdout)).toMatchObject({ provider: null, secret_version: 2 });
  });
});

test.each(['object-credentials', 'object-resources'])('%s update disables after a prompt', async (group) => {
  const { asAdmin, asOperator, tenant_id, credentialId, resourceId, at } = await withResource();
  const id = group === 'object-credentials' ? credentialId : resourceId;
  const disable = [group, 'update', id, '--status', 'DISABLED'];
  const no = await topctl(disable, { ...asAdmin, typed: ['n'] });
  expect(no).toMatchObject({ exitCode: 130, stdout: '' });
  expect(no.stderr).toContain(`${id} of tenant ${tenant_id}?`);
  const upload = ['objects', 'upload', '-', ...at('k')];
  expect((await topctl(upload, { ...asOperator, stdin: 'x' })).exitCode).toBe(0);
  expect(JSON.parse((await topctl([...disable, '--yes'], asAdmin)).stdout)).toMatchObject({ status: 'DISABLED' });
  expect((await topctl(upload, { ...asOperator, stdin: 'x' })).exitCode).toBe(5);
});

test('object-resources are listed by credential, and their policy is changed', async () => {
  const { asAdmin, credentialId, resourceId } = await withResource(
    '--allowed-content-types',
    'image/*,application/pdf',
  );
  const list = ['object-resources', 'list', '--credential-id', credentialId, '-o', 'id'];
  expect(await topctl(list, asAdmin)).toEqual({ exitCode: 0, stdout: `${resourceId}\n`, stderr: '' });
  const update = ['object-resources', 'update', resourceId, '--allowed-content-types', 'any', '--key-prefix', ''];
  const updated = await topctl([...update, '--allowed-operations', 'DOWNLOAD'], asAdmin);
  expect(JSON.parse(updated.stdout)).toMatchObject({
    allowed_content_types: null,
    allowed_operations: ['DOWNLOAD'],
    key_prefix: '',
    max_object_bytes: 5_368_709_120,
  });
});

test('a resource and then its credential are deleted; the reverse order is refused', async () => {
  const { asAdmin, credentialId, resourceId } = await withResource();
  const refused = await topctl(['object-credentials', 'delete', credentialId, '--yes'], asAdmin);
  expect(refused).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('(OBJECT_CREDENTIAL_IN_USE)') });
  for (const [group, id] of [
    ['object-resources', resourceId],
    ['object-credentials', credentialId],
  ] as const) {
    const got = await topctl([group, 'get', id, '-o', 'id'], asAdmin);
    const deleted = await topctl([group, 'delete', id, '-o', 'id', '--yes'], asAdmin);
    expect([got, deleted]).toMatchObject([{ stdout: `${id}\n` }, { exitCode: 0, stdout: `${id}\n` }]);
    expect((await topctl([group, 'get', id], asAdmin)).stderr).toContain('(NOT_FOUND)');
  }
});
