import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import vectors from '@tenant-open-platform/contract/vectors.json' with { type: 'json' };
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { expectMismatchIsSaid } from '@tenant-open-platform/testing/mismatch';
import { describe, expect, test } from 'vitest';
import { signedFetch } from './typescript/signed-fetch.js';

const { operator } = await createTenant();
const { base_url, client_id, secret } = operator;
const folder = temporaryFolder();

const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const here = (path: string) => join(import.meta.dirname, path);
const make = (program: string, args: string[], cwd: string) => {
  execFileSync(program, args, { cwd: here(cwd), stdio: 'pipe', encoding: 'utf8' });
};

/** C# is compiled and run by Mono, whose compiler knows C# 7: what it takes, .NET Framework 4.6 and every .NET take. */
type Language = { needs: string; build?: () => void; program: string[]; signsVectors: string[] };

const languages: Record<string, Language> = {
  Go: {
    needs: 'go',
    build: () => make('go', ['build', '-o', `${join(folder, 'go')}/`, '.', './vectors'], 'go'),
    program: [join(folder, 'go/signing')],
    signsVectors: [join(folder, 'go/vectors')],
  },
  Java: {
    needs: 'javac',
    build: () => make('javac', ['-d', join(folder, 'java'), 'Signing.java', 'Main.java', 'Vectors.java'], 'java'),
    program: ['java', '-cp', join(folder, 'java'), 'Main'],
    signsVectors: ['java', '-cp', join(folder, 'java'), 'Vectors'],
  },
  Rust: {
    needs: 'cargo',
    build: () => make('cargo', ['build', '--quiet', '--locked', '--target-dir', join(folder, 'rust')], 'rust'),
    program: [join(folder, 'rust/debug/signing')],
    signsVectors: [join(folder, 'rust/debug/vectors')],
  },
  'C#': {
    needs: 'mcs',
    build: () => {
      for (const program of ['Main', 'Vectors']) {
        const output = `-out:${join(folder, `${program}.exe`)}`;
        make('mcs', ['-r:System.Net.Http', output, `${program}.cs`, 'SigningHandler.cs'], 'csharp');
      }
    },
    program: ['mono', join(folder, 'Main.exe')],
    signsVectors: ['mono', join(folder, 'Vectors.exe')],
  },
  PHP: { needs: 'php', program: ['php', here('php/main.php')], signsVectors: ['php', here('php/vectors.php')] },
  Ruby: { needs: 'ruby', program: ['ruby', here('ruby/main.rb')], signsVectors: ['ruby', here('ruby/vectors.rb')] },
};

const present = Object.entries(languages).filter(([, { needs }]) => isThere(needs));
const absent = Object.keys(languages).filter((name) => !present.some(([other]) => other === name));
if (absent.length > 0) console.log(`Not on this machine, so not run: ${absent.join(', ')}`);

describe.each(present)('%s', (_name, { build, program, signsVectors }) => {
  const run = ([file, ...args]: string[], environment: Record<string, string>, input?: string) =>
    execFileSync(file as string, args, {
      env: { ...process.env, ...environment },
      input,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const variables = { TOP_BASE_URL: base_url, TOP_CLIENT_ID: client_id, TOP_SECRET: secret };

  test('compiles, signs every vector, sends a command and waits for its outcome, and is refused with a wrong secret', {
    timeout: 600_000,
  }, async () => {
    build?.();
    const lines = vectors.accept.map((vector) => {
      const { method, target, timestamp, nonce, body_base64 } = vector;
      const body = Buffer.from(body_base64, 'base64').toString('hex');
      return [vector.secret, vector.client_id, method, target, timestamp, nonce, body].join('\t');
    });
    const signatures = vectors.accept.map(({ x_api_signature }) => x_api_signature);
    const signed = run(signsVectors, {}, `${lines.join('\n')}\n`).trim();
    expect(signed.split('\n')).toEqual(signatures);
    expect(JSON.parse(run(program, variables))).toMatchObject({ command_type: 'reboot', status: 'SUCCEEDED' });
    const wrong = { ...variables, TOP_SECRET: 'wrong' };
    expect(() => run(program, wrong)).toThrow(expect.objectContaining({ status: 1, stdout: '' }));
    expect(() => run(program, wrong)).toThrow(/UNAUTHENTICATED/);
    await expectMismatchIsSaid(program);
  });
});

const headerPrograms = {
  php: [
    '-r',
    'require $argv[1]; echo send_signed(...array_slice($argv, 2))[2]["content-type"];',
    here('php/signing.php'),
  ],
  ruby: ['-e', 'require ARGV.shift; print send_signed(*ARGV)["Content-Type"]', here('ruby/signing.rb')],
};

test.each(Object.entries(headerPrograms).filter(([program]) => isThere(program)))(
  '%s returns the headers of an answer',
  (program, parameters) => {
    const request = [base_url, client_id, secret, 'GET', '/api/v1/open/me'];
    expect(execFileSync(program, [...parameters, ...request], { encoding: 'utf8' })).toMatch(/^application\/json/);
  },
);

test('a fetch that signs sends a body, a query and neither', async () => {
  const signed = signedFetch({ clientId: client_id, secret });
  const commands = `${base_url}/api/v1/open/downlink/commands`;
  const body = JSON.stringify({
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: 'signed-fetch',
  });
  const headers = { 'Content-Type': 'application/json' };
  const statuses = [
    await signed(commands, { method: 'POST', headers, body }),
    await signed(`${commands}?limit=1`),
    await signed(`${base_url}/api/v1/open/me`),
  ].map(({ status }) => status);
  expect(statuses).toEqual([202, 200, 200]);
});
