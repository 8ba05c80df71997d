import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import manifest from '../package.json';

const read = (path: string) => readFileSync(new URL(`../dist/${path}`, import.meta.url), 'utf8');

test.each([
  ['index.js', 8_000],
  ['index.cjs', 8_000],
  ['sign.js', 1_500],
  ['sign.cjs', 1_500],
])('%s is at most %i bytes gzipped', (file, budget) => {
  expect(gzipSync(read(file), { level: 9 }).length).toBeLessThanOrEqual(budget);
});

test.each(['index.js', 'index.cjs', 'sign.js', 'sign.cjs', 'index.d.ts', 'index.d.cts', 'sign.d.ts', 'sign.d.cts'])(
  '%s imports nothing',
  (file) => {
    expect(read(file)).not.toMatch(/\bfrom\s*['"]|\bimport\s*\(|\brequire\s*\(|\bimport\s*['"]|reference types/);
  },
);

test('the package has no dependencies, and is published as it is used here but for the sources', () => {
  expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['dependencies']));
  expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['peerDependencies']));
  const withoutSources = JSON.parse(JSON.stringify(manifest.exports), (key, value) =>
    key === '@tenant-open-platform/source' ? undefined : value,
  );
  expect(manifest.publishConfig.exports).toEqual(withoutSources);
});
