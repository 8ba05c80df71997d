import { readdirSync, readFileSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { expect, test } from 'vitest';
import manifest from '../package.json';

const dist = new URL('../dist/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, dist), 'utf8');

const bundle = (file: string, options: BuildOptions = {}) =>
  build<BuildOptions & { write: false }>({
    entryPoints: [new URL(file, dist).pathname],
    bundle: true,
    minify: true,
    external: ['@nats-io/*', 'node:*'],
    format: file.endsWith('.cjs') ? 'cjs' : 'esm',
    outdir: 'bundled',
    logLevel: 'silent',
    ...options,
    write: false,
  });

const zipped = (parts: readonly { contents: Uint8Array }[]) =>
  parts.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);

/** Defect: the client grows unnoticed in the bundles of its users. Measured as their bundler minifies it. */
test.each([
  ['index.js', 14_600],
  // Bundlers take the ES modules. The wrapping of CommonJS costs some 400 bytes more.
  ['index.cjs', 15_250],
  ['sign.js', 1_500],
  ['sign.cjs', 1_650],
  ['webhooks.js', 1_500],
  // With the schemas of all bodies.
  ['testing.js', 7_000],
  // With the parser of the platform. The in-memory double runs the code of device requests instead of code of its own.
  // ESM and CommonJS share one program: 600 bytes more than as ES modules. What a frozen process may still do: 750 bytes.
  ['adapter.js', 16_350],
])('%s, bundled into one file and minified, is at most %i bytes gzipped', async (file, budget) => {
  const { outputFiles } = await bundle(file);
  expect(zipped(outputFiles)).toBeLessThanOrEqual(budget);
});

/** createMany, shared requests and the transfer of objects are loaded when they are first used. */
test('what the client loads at its start is at most 11,450 bytes', async () => {
  const { outputFiles, metafile } = await bundle('index.js', { splitting: true, metafile: true });
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { path: imported, kind } of metafile?.outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') load(imported);
    }
  };
  load('bundled/index.js');
  const parts = outputFiles.filter(({ path }) => [...loaded].some((file) => path.endsWith(`/${file}`)));
  expect(parts).toHaveLength(loaded.size);
  expect(parts.length).toBeLessThan(outputFiles.length);
  expect(zipped(parts)).toBeLessThanOrEqual(11_450);
});

/** Defect: an installation of megabytes. npm adds README, LICENSE and package.json to these files. */
test('the built files are at most 513 kB', () => {
  const sizes = readdirSync(dist).map((file) => statSync(new URL(file, dist)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(513_000);
});

/** Defect: a forgotten dependency, which a consumer would have to install. */
test.each(readdirSync(dist))(
  '%s imports nothing but files of the package, and the adapter the packages of NATS',
  (file) => {
    const allowed = file.startsWith('adapter.')
      ? ['node:buffer', 'node:fs/promises', 'node:tls', ...Object.keys(manifest.peerDependencies)]
      : [];
    const imports = Array.from(
      read(file).matchAll(
        /^(?:import|export|\}) .*\bfrom ['"](?!\.\/)(.+)['"]|\brequire\(['"](?!\.\/)(.+?)['"]|(reference types)/gm,
      ),
      ([, imported, required, reference]) => imported ?? required ?? reference,
    );
    expect(imports.filter((name) => !allowed.includes(String(name)))).toEqual([]);
  },
);

/** Defect: a stack trace or an uncaught error that shows one line of 26 kB. */
test.each(readdirSync(dist).filter((file) => /\.c?js$/.test(file)))('%s is readable', (file) => {
  const longest = Math.max(
    ...read(file)
      .split('\n')
      .map((line) => line.length),
  );
  expect(longest).toBeLessThanOrEqual(500);
});

test('the package has no dependencies but the optional ones of adapters, and is published as tested, except for the sources', () => {
  expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['dependencies']));
  const optional = Object.keys(manifest.peerDependencies).map((name) => [name, { optional: true }]);
  expect(manifest.peerDependenciesMeta).toEqual(Object.fromEntries(optional));
  const withoutSources = JSON.parse(JSON.stringify(manifest.exports), (key, value) =>
    key === '@tenant-open-platform/source' ? undefined : value,
  );
  expect(manifest.publishConfig.exports).toEqual(withoutSources);
});
