import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { expectMismatchIsSaid } from '@tenant-open-platform/testing/mismatch';
import { beforeAll, describe, expect, test } from 'vitest';

/** docs/clients.md is carried out as it is: its files are copied, its commands run. */
const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8');
const [, version = ''] = /openapi-generator (\d+\.\d+\.\d+)/.exec(page) ?? [];

const run = promisify(execFile);
const { operator } = await createTenant();
const folder = temporaryFolder();

const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
/** openapi-generator needs Java, and Maven brings it. */
const needs = {
  Go: ['go', 'java', 'mvn'],
  'Go with ogen': ['go'],
  Java: ['javac', 'java', 'mvn'],
  Python: ['python3', 'java', 'mvn'],
};
const languages = Object.entries(needs);
const present = languages.filter(([, programs]) => programs.every(isThere));
for (const [language, programs] of languages) {
  const missing = programs.filter((program) => !isThere(program));
  if (missing.length > 0) console.log(`${language}: not run, this machine has no ${missing.join(', ')}`);
}

/** The files that the section names, by the place to which it copies them, and its commands. */
function sectionOf(language: string) {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${language}\n`)) ?? '';
  const named = section.matchAll(/`(examples\/[\w./-]+)`(?: into a folder `(\w+)`)?/g);
  const files = [...named].map(([, from = '', folder = '.']) => ({ from, to: join(folder, basename(from)) }));
  const [, commands = ''] = /^```sh run-clients\n(.*?)^```$/ms.exec(section) ?? [];
  return { files, commands };
}

const environment = {
  ...process.env,
  PATH: `${folder}:${process.env.PATH}`,
  TOP_BASE_URL: operator.base_url,
  TOP_CLIENT_ID: operator.client_id,
  TOP_SECRET: operator.secret,
  // The packages that the page installs with pip.
  PIP_CONSTRAINT: join(import.meta.dirname, 'python/constraints.txt'),
};

beforeAll(async () => {
  if (!isThere('mvn')) return;
  const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${version}`;
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
  await run('mvn', ['-q', '-B', copy, artifact, `-DoutputDirectory=${folder}`]);
  const program = join(folder, 'openapi-generator-cli');
  writeFileSync(program, `#!/bin/sh\nexec java -jar ${folder}/openapi-generator-cli-${version}.jar "$@"\n`);
  chmodSync(program, 0o755);
}, 300_000);

const [, otherGenerators = ''] = page.split('## Other generators\n');
const blocks = [...otherGenerators.matchAll(/^([^\n]*):\n\n```sh run-clients\n(.*?)^```$/gms)].map(
  ([, title = '', commands = '']) => ({ title, commands }),
);

test('docs/clients.md has the other generators', () => {
  expect(blocks.map(({ title }) => title.split(' ')[0])).toEqual(['oapi-codegen', 'openapi-generator']);
});

test.each(blocks.filter(({ title }) => isThere(/Java/.test(title) ? 'mvn' : 'go')))(
  'the output compiles: $title',
  { timeout: 900_000 },
  async ({ title, commands }) => {
    const cwd = join(folder, title.split(' ')[0] ?? '');
    mkdirSync(cwd);
    await run('sh', ['-ec', commands], { cwd, env: environment, maxBuffer: 64 * 1024 * 1024 });
  },
);

describe.each(present)('%s', (language) => {
  test('a generated client compiles, sends a signed command, is refused with a wrong secret, and says that its key belongs to another command', {
    timeout: 900_000,
  }, async () => {
    const { files, commands } = sectionOf(language);
    const cwd = join(folder, language);
    for (const { from, to } of files) {
      mkdirSync(dirname(join(cwd, to)), { recursive: true });
      copyFileSync(join(root, from), join(cwd, to));
    }
    const runScript = async (script: string, secret = operator.secret) => {
      const env = { ...environment, TOP_SECRET: secret };
      return (await run('sh', ['-ec', script], { cwd, env, maxBuffer: 64 * 1024 * 1024 })).stdout;
    };
    const lines = (await runScript(commands)).trim().split('\n');
    expect(lines.at(-1)).toMatch(/[0-9a-f-]{36} (ACCEPTED|DISPATCHED|IN_PROGRESS|SUCCEEDED)$/);
    const send = commands.trim().split('\n').at(-1) ?? '';
    await expect(runScript(send, 'wrong')).rejects.toThrow(/UNAUTHENTICATED/);
    await expectMismatchIsSaid(['sh', '-ec', send], { cwd, env: environment });
  });
});
