import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import manifest from '../package.json';
import { credential } from './fake-fetch.js';

const read = (path: string) => readFileSync(new URL(`../dist/${path}`, import.meta.url), 'utf8');

test.each([
  ['index.js', 8_000],
  ['index.cjs', 8_000],
  ['objects.js', 2_500],
  ['objects.cjs', 2_500],
  ['sign.js', 1_500],
  ['sign.cjs', 1_500],
])('%s is at most %i bytes gzipped', (file, budget) => {
  expect(gzipSync(read(file), { level: 9 }).length).toBeLessThanOrEqual(budget);
});

const importedBy = (file: string) =>
  Array.from(
    read(file).matchAll(/\b(?:from|import|require)\s*\(?\s*['"]([^'"]+)['"]|reference types/g),
    ([whole, from]) => from ?? whole,
  );

test.each(['sign.js', 'sign.cjs', 'index.d.ts', 'index.d.cts', 'sign.d.ts', 'sign.d.cts'])(
  '%s imports nothing',
  (file) => {
    expect(importedBy(file)).toEqual([]);
  },
);

test.each([
  ['index.js', /\bimport\("\.\/objects\.js"\)/g],
  ['index.cjs', /\.then\(\(\)=>require\("\.\/objects\.cjs"\)\)/g],
])('%s imports nothing but, at the first transfer, what transfers', (file, lazily) => {
  const loaded = read(file).match(lazily) ?? [];
  expect(loaded.length).toBeGreaterThan(0);
  expect(importedBy(file)).toHaveLength(loaded.length);
});

test.each([
  ['objects.js', './index.js'],
  ['objects.cjs', './index.cjs'],
])('%s has no copy of the client, but imports it', (file, client) => {
  expect(new Set(importedBy(file))).toEqual(new Set([client]));
});

test.each(['index.js', 'index.cjs', 'objects.js', 'objects.cjs', 'sign.js', 'sign.cjs'])(
  '%s is mapped to the sources, and to no path of the machine that built it',
  (file) => {
    const { sources } = JSON.parse(read(`${file}.map`)) as { sources: string[] };
    expect(sources.length).toBeGreaterThan(3);
    expect(sources).toEqual(
      sources.map(() =>
        expect.stringMatching(/^(\.\.\/src|\.\.\/\.\.\/contract\/src)\/.+\.ts$|^\.\.\/package\.json$|^\w+\.c?js$/),
      ),
    );
  },
);

const namesOfClasses = `
const { TenantOpenPlatform, ...exported } = client;
const it = new TenantOpenPlatform({ baseUrl: 'https://platform.test', ...${JSON.stringify(credential)} });
const classes = Object.entries(exported).filter(([name]) => /^[A-Z]/.test(name));
const resources = Object.entries(it).filter(([, value]) => typeof value === 'object');
console.log(JSON.stringify({
  classes: [['TenantOpenPlatform', it.constructor.name], ...classes.map(([name, value]) => [name, value.name])],
  resources: resources.map(([name, value]) => [name, value.constructor.name]),
}));`;

test.each([
  ['module', `import * as client from '@tenant-open-platform/sdk';`],
  ['commonjs', `const client = require('@tenant-open-platform/sdk');`],
])('classes keep their names, which the minifier would take: %s', (type, imports) => {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const flags = [`--input-type=${type}`, '--eval', imports + namesOfClasses];
  const { classes, resources } = JSON.parse(execFileSync(process.execPath, flags, { cwd, encoding: 'utf8' }));
  expect(classes).toEqual(classes.map(([name]: string[]) => [name, name]));
  const expected = ([name = '']: string[]) => [name, expect.stringMatching(new RegExp(`^${name}(Resource)?$`, 'i'))];
  expect(resources).toEqual(resources.map(expected));
  expect([classes.length, resources.length].every((count) => count > 5)).toBe(true);
});

test('the package has no dependencies, and is published as it is used here but for the sources', () => {
  expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['dependencies']));
  expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['peerDependencies']));
  const withoutSources = JSON.parse(JSON.stringify(manifest.exports), (key, value) =>
    key === '@tenant-open-platform/source' ? undefined : value,
  );
  expect(manifest.publishConfig.exports).toEqual(withoutSources);
});
