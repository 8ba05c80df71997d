import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { type Published, packRelease } from './release-tree.js';
import { stopGroup } from './stop-group.js';
import { untilPrinted } from './until-printed.js';

const run = promisify(execFile);
const server = fileURLToPath(new URL('../../server', import.meta.url));
const require = createRequire(import.meta.url);
const url = 'https://git.example.com/group/platform';
const names: Published[] = ['contract', 'server', 'sdk', 'cli'];

let folder: string;
let tarballs: Record<Published, string>;
let version: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-release-'));
  tarballs = await packRelease(folder, url);
  version = (await manifestOf('server')).version;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const printed = async (file: string, parameters: string[]) =>
  (await run(file, parameters, { maxBuffer: 64 * 1024 * 1024 })).stdout;
const contentOf = (name: Published, file: string) => printed('tar', ['-xzOf', tarballs[name], `package/${file}`]);
const manifestOf = async (name: Published) => JSON.parse(await contentOf(name, 'package.json'));

test.each(names)(
  '%s has the version of the release, a licence, a changelog, and says where its source is',
  async (name) => {
    expect(await manifestOf(name)).toMatchObject({
      version: expect.stringMatching(/^(?!0\.0\.)\d+\.\d+\.\d+$/),
      license: 'MIT',
      homepage: url,
      bugs: `${url}/issues`,
      repository: { type: 'git', url: `git+${url}.git`, directory: name },
      keywords: expect.arrayContaining(['iot']),
    });
    expect((await manifestOf(name)).version).toBe(version);
    expect(await contentOf(name, 'CHANGELOG.md')).toContain(`\n## ${version}\n`);
    expect(await contentOf(name, 'LICENSE')).toMatch(/^MIT License/);
    expect(await contentOf(name, 'README.md')).not.toBe('');
  },
);

test.each(names)(
  '%s depends on exact versions, and on nothing of this workspace that is not released',
  async (name) => {
    const { dependencies = {}, exports } = await manifestOf(name);
    for (const wanted of Object.values(dependencies)) expect(wanted).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    const ours = Object.entries(dependencies).filter(([dependency]) => dependency.startsWith('@tenant-open-platform/'));
    expect(ours).toEqual(name === 'cli' ? [['@tenant-open-platform/sdk', version]] : []);
    expect(JSON.stringify(exports ?? {})).not.toContain('source');
  },
);

const noticesIn = (file: string) => file.split(`\n${'-'.repeat(80)}\n`);

/** The sentence of each licence that allows what we do. */
const GRANTS =
  /Permission is hereby granted|Permission to use, copy|Apache License|released into the public domain|Redistribution and use|Blue Oak Model License/;

test('the server depends on the embedded database alone; licences of all that is bundled are in the package', async () => {
  expect(Object.keys((await manifestOf('server')).dependencies)).toEqual(['@electric-sql/pglite']);
  const licenses = await contentOf('server', 'dist/third-party-notices.txt');
  const [ofDrizzle, ...others] = noticesIn(licenses).filter((notice) => notice.startsWith('drizzle-orm '));
  expect(others).toEqual([]);
  expect(ofDrizzle).toMatch(/^drizzle-orm \S+ \(Apache-2\.0\)\n\nAuthor: Drizzle Team\n.*Apache License/s);
  expect(noticesIn(licenses).filter((notice) => !GRANTS.test(notice))).toEqual([]);
});

test('topctl depends on the SDK, and on what has no licence text to bundle; licences of all that is bundled are in the package', async () => {
  expect(Object.keys((await manifestOf('cli')).dependencies)).toEqual(['@bomb.sh/tab', '@tenant-open-platform/sdk']);
  const licenses = await contentOf('cli', 'dist/third-party-notices.txt');
  const names = noticesIn(licenses).map((notice) => notice.split(' ', 1)[0]);
  expect(names).toEqual(expect.arrayContaining(['commander', 'picocolors', 'yaml', '@clack/prompts']));
  expect(noticesIn(licenses).filter((notice) => !GRANTS.test(notice))).toEqual([]);
});

test('the bill of materials of the server is valid CycloneDX, and names all that is bundled, with its licence', async () => {
  const bom = JSON.parse(await contentOf('server', 'dist/sbom.cdx.json'));
  const schemas = join(require.resolve('@cyclonedx/cyclonedx-library/package.json'), '../res/schema');
  const schema = (name: string) => JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'));
  const ajv = addFormats.default(new Ajv({ strict: false }));
  for (const name of ['spdx', 'jsf-0.82']) {
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  for (const format of ['iri-reference', 'idn-email']) ajv.addFormat(format, true);
  const validate = ajv.compile(schema('bom-1.6'));
  validate(bom);
  expect(validate.errors ?? []).toEqual([]);
  expect(bom.metadata.component).toMatchObject({ name: '@tenant-open-platform/server', version });

  type Component = { name: string; version: string; licenses: { license: { id: string } }[] };
  const named = bom.components.map(({ name, version, licenses: [one] }: Component) => [name, version, one?.license.id]);
  const notices = await contentOf('server', 'dist/third-party-notices.txt');
  const noticed = [...notices.matchAll(/^(\S+) (\d\S*) \((\S+)\)$/gm)].map(([, ...notice]) => notice);
  expect(named.filter(([name]: string[]) => name !== '@electric-sql/pglite').sort()).toEqual(noticed.sort());
  // From the source maps, which do not depend on the list of which both files are made.
  const maps = readdirSync(join(server, 'dist')).filter((file) => file.endsWith('.js.map'));
  const sources = maps.flatMap((file) => JSON.parse(readFileSync(join(server, 'dist', file), 'utf8')).sources);
  const folders = sources.flatMap((source) => /\/\.pnpm\/(@?[^@/]+)@/.exec(source)?.[1] ?? []);
  const bundled = new Set(folders.map((folder) => folder.replace('+', '/')));
  expect(bundled.size).toBeGreaterThan(50);
  const names = new Set(named.map(([name]: string[]) => name));
  expect([...bundled].filter((name) => !names.has(name))).toEqual([]);
});

test.each(names)('%s contains no source of its own, no test and no source map', async (name) => {
  const files = (await printed('tar', ['-tzf', tarballs[name]])).trim().split('\n');
  const unwanted = /^package\/(src|test|scripts)\/|\.js\.map$|\.test\.|(?<!\.d)\.ts$/;
  // The platform serves the programs of the guides. An operator who changes a threshold runs the tests of the alerts.
  const ofGuides = /\/documents\/pages\/examples\/(?!.*\.test\.)|\/monitoring\/alerts\.test\.yaml$/;
  expect(files.filter((file) => unwanted.test(file) && !ofGuides.test(file))).toEqual([]);
});

test.each(names)('publint finds nothing in %s', async (name) => {
  const packed = readFileSync(tarballs[name]);
  const tarball = packed.buffer.slice(packed.byteOffset, packed.byteOffset + packed.byteLength);
  expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([]);
});

test.each([
  ['sdk', []],
  ['contract', ['--profile', 'esm-only']],
] as const)('are-the-types-wrong finds nothing in %s', async (name, options) => {
  const attw = require.resolve('@arethetypeswrong/cli/package.json');
  await run(process.execPath, [join(attw, '../dist/index.js'), tarballs[name], ...options]);
});

/** A user's environment, with npm's cache and prefix empty. How npm is reached is up to this machine. */
function freshNpm(): Record<string, string | undefined> {
  const isKept = (name: string) =>
    /^(PATH|HOME|TMPDIR|NODE_EXTRA_CA_CERTS|npm_config_(registry|cafile)|(https?|no)_proxy)$/i.test(name);
  const kept = Object.entries(process.env).filter(([name]) => isKept(name));
  return {
    ...Object.fromEntries(kept),
    npm_config_cache: join(folder, 'cache'),
    npm_config_prefix: join(folder, 'prefix'),
  };
}

test('from the four packages and an empty folder to a completed command', { timeout: 300_000 }, async () => {
  const cwd = join(folder, 'empty');
  mkdirSync(cwd);
  const options = { cwd, env: freshNpm() };
  writeFileSync(join(cwd, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--no-audit', '--no-fund', ...names.map((name) => tarballs[name])], options);
  const server = ['@tenant-open-platform/server'];
  expect((await run('npx', [...server, '--version'], options)).stdout).toBe(`${version}\n`);
  expect((await run('npx', [...server, '--help'], options)).stdout).toContain('bootstrap-admin');
  expect((await run('npx', ['topctl', '--version'], options)).stdout).toBe(`${version}\n`);

  const platform = spawn('npx', server, { cwd, env: { ...options.env, PORT: '0' }, detached: true });
  onTestFinished(() => stopGroup(platform));
  const welcome = await untilPrinted(platform, /^ {2}(npx .* commands create .*)$/m);
  const baseUrl = /ready: (\S+)/.exec(welcome)?.[1];
  const [, firstCommand = ''] = /^ {2}(npx .* commands create .*)$/m.exec(welcome) ?? [];
  const { stdout } = await run('sh', ['-c', firstCommand], options);
  expect(JSON.parse(stdout)).toMatchObject({ device_id: 'ok-1', status: 'SUCCEEDED' });
  for (const page of ['/docs', '/docs/configuration', '/openapi.json', '/llms.txt']) {
    expect((await fetch(`${baseUrl}${page}`)).status, page).toBe(200);
  }
});

/** Runs the script that publishes, with an npm that knows these releases. GitHub and the registry cannot be reached. */
async function publish(known: string[]): Promise<{ printed: string[]; output: string }> {
  const workflow = parse(readFileSync(new URL('../../.github/workflows/release.yml', import.meta.url), 'utf8'));
  const { run: script } = workflow.jobs.publish.steps.find(({ id }: { id?: string }) => id === 'publish');
  const cwd = mkdtempSync(join(folder, 'publish-'));
  const programs = join(cwd, 'programs');
  for (const path of [join(cwd, 'packed'), programs]) mkdirSync(path);
  for (const name of names) symlinkSync(tarballs[name], join(cwd, `packed/${name}.tgz`));
  const isKnown = `case " ${known.join(' ')} " in *" $2 "*) ;; *) exit 1 ;; esac`;
  const stand = (name: string, views: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${views}\n[ "$1" = config ] || echo "${name} $*"\n`, {
      mode: 0o755,
    });
  stand('npm', `if [ "$1" = view ]; then ${isKnown}; exit; fi; [ "$2" = get ] && echo https://packages.example/`);
  stand('gh', `if [ "$2" = view ]; then set -- view "$3"; ${isKnown}; exit; fi`);
  const output = join(cwd, 'output');
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    GITHUB_OUTPUT: output,
    GITHUB_SHA: 'commit',
    NPM_TOKEN: 'token',
  };
  const { stdout } = await run('bash', ['-ec', script], { cwd, env });
  return { printed: stdout.trim().split('\n'), output: existsSync(output) ? readFileSync(output, 'utf8') : '' };
}

const releaseOf = (name: Published) => `@tenant-open-platform/${name}@${version}`;

test('the release workflow publishes the tested tarballs, and adds the bill of materials to the release', async () => {
  const { printed, output } = await publish([]);
  const created = (name: Published) =>
    `gh release create ${releaseOf(name)} --target commit --title ${releaseOf(name)} --notes-file notes.md`;
  const files = ' package/dist/sbom.cdx.json package/dist/third-party-notices.txt';
  expect(printed.map((line) => line.trim())).toEqual(
    (['contract', 'sdk', 'cli', 'server'] as const).flatMap((name) => [
      `npm publish --access public --provenance ./packed/${name}.tgz`,
      created(name) + (name === 'server' ? files : ''),
    ]),
  );
  expect(output).toBe(`version=${version}\n`);
});

test('the release workflow goes on where an interrupted run ended, and publishes nothing twice', async () => {
  const { printed } = await publish((['contract', 'sdk', 'cli'] as const).map(releaseOf));
  expect(printed).toHaveLength(2);
  expect(printed[0]).toBe('npm publish --access public --provenance ./packed/server.tgz');
  expect(await publish(names.map(releaseOf))).toEqual({ printed: [''], output: '' });
});
