import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeyring, temporaryFolder } from '@tenant-open-platform/testing';
import { ownAuthority } from '@tenant-open-platform/testing/certificates';
import { startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres, postgresBinaries } from '@tenant-open-platform/testing/private-postgres';
import { ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import { describe, expect, test } from 'vitest';
import { openSession } from './support/open-pool.js';
import { runMain } from './support/private-platform.js';

const authority = await ownAuthority();
const trusting = { NODE_EXTRA_CA_CERTS: authority.caFile };
const ofAddress = await authority.sign('IP:127.0.0.1');
const ofName = await authority.sign('DNS:localhost');
const ofOther = await authority.sign('IP:127.0.0.2');

/** What is dialed, what the certificate is for, and whether the two are the same. */
const cases = [
  { host: '127.0.0.1', of: 'the address', files: ofAddress, fits: true },
  { host: '127.0.0.1', of: 'localhost', files: ofName, fits: false },
  { host: '127.0.0.1', of: 'another address', files: ofOther, fits: false },
  { host: 'localhost', of: 'the address', files: ofAddress, fits: false },
  { host: 'localhost', of: 'localhost', files: ofName, fits: true },
];

describe('Postgres', async () => {
  const database = await ownPostgres();
  const superuser = openSession(database.superuserUrl);
  const [{ folder } = { folder: '' }] = await superuser<{ folder: string }[]>`
    select current_setting('data_directory') as folder`;
  /** Postgres takes a key that nobody else can read: its own processes write it. */
  const write = (name: string, file: string) =>
    superuser.unsafe(
      `copy (select unnest(string_to_array('${readFileSync(file, 'utf8')}', e'\\n')))
        to program 'umask 077; cat > ${folder}/${name}'`,
    );

  async function present({ certFile, keyFile }: typeof ofName): Promise<void> {
    await write('server.crt', certFile);
    await write('server.key', keyFile);
    await superuser`alter system set ssl = on`;
    await database.suspend();
    await database.resume();
  }

  const urlWith = (host: string, sslmode: string) =>
    Object.assign(new URL(database.url), { hostname: host, search: `?sslmode=${sslmode}` }).href;

  /** The exit code of psql. */
  const libpq = (url: string) =>
    new Promise((resolve) => {
      const env = { ...process.env, PGSSLROOTCERT: authority.caFile };
      execFile(join(postgresBinaries(), 'psql'), [url, '-c', 'select 1'], { env }, (error) =>
        resolve(error?.code ?? 0),
      );
    });

  test.each(cases)(
    'at $host, with a certificate for $of: used if it fits, as libpq does',
    async ({ host, files, fits }) => {
      await present(files);
      const url = urlWith(host, 'verify-full');
      const environment = { ...trusting, DATABASE_URL: url, DATA_DIR: temporaryFolder(), KEYRING: newKeyring() };
      const { exitCode, stderr } = await runMain(['migrate', '--plan'], environment);
      expect([exitCode, await libpq(url)], stderr).toEqual(fits ? [0, 0] : [1, 2]);
      if (!fits) expect(stderr).toMatch(/cannot be reached by TLS: .*\(ERR_TLS_CERT_ALTNAME_INVALID\)/);
      // Without verification it is used in any case.
      const trustful = await runMain(['migrate', '--plan'], { ...environment, DATABASE_URL: urlWith(host, 'require') });
      expect(trustful).toMatchObject({ exitCode: 0 });
    },
  );
});

describe.concurrent('NATS', () => {
  test.for(cases)('at $host, with a certificate for $of: used if it fits', async ({ host, files, fits }, context) => {
    const nats = await startPrivateNats(`tls { cert_file: "${files.certFile}", key_file: "${files.keyFile}" }`);
    context.onTestFinished(nats.stop);
    const NATS_URL = `tls://${host}:${new URL(nats.url).port}`;
    const server = startServer({ ...trusting, DATA_DIR: temporaryFolder(context), NATS_URL });
    if (fits) {
      const { baseUrl, stop } = await server;
      context.onTestFinished(async () => void (await stop()));
      await expect.poll(async () => (await fetch(`${baseUrl}/readyz`)).status).toBe(200);
      return;
    }
    const refusal = await server.catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ServerExited);
    expect((refusal as ServerExited).stderr).toMatch(/^NATS does not answer at .*: .*altnames/);
  });
});
