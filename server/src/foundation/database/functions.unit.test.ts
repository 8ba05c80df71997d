import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** How a text names a function of the database. */
const FUNCTION_NAME = /\b[a-z]+(?:_[a-z]+)*_v\d+\b/g;

const server = fileURLToPath(new URL('../../..', import.meta.url));
const drizzle = join(server, 'drizzle');

const textsIn = (folder: string, isMeant: (file: string) => boolean) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isMeant)
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

const functions = textsIn(join(drizzle, 'functions'), () => true).map(({ file, text }) => ({
  name: basename(file, '.sql'),
  text,
}));
const sources = textsIn(join(server, 'src'), (file) => /(?<!\.test)\.ts$/.test(file));
const ofBaseline = textsIn(join(drizzle, 'baseline'), () => true);
const migrations = textsIn(drizzle, (file) => /^\d{4}_.*\.sql$/.test(file)).map(({ text }) => text);

test('the migrations have the whole text of each function and of each part of the baseline: golden:schema writes it', () => {
  const all = migrations.join('\n');
  const lacking = [...functions, ...ofBaseline].filter(({ text }) => !all.includes(`\n${text.trimEnd()}\n`));
  expect(lacking).toEqual([]);
});

test.each(functions)(
  'the file of $name begins with an explanation, and defines only this function',
  ({ name, text }) => {
    expect(text).toMatch(/^-- /);
    const defined = [...text.matchAll(/create (?:or replace )?function (?:admission\.)?(\w+)\(/g)].map(
      ([, one]) => one,
    );
    expect(defined).toEqual([name]);
  },
);

test.each(functions)('$name has a caller', ({ name }) => {
  const code = [...sources, ...ofBaseline, ...functions.filter((one) => one.name !== name)].map(({ text }) =>
    text.replace(/^\s*(--|\*|\/\/|\/\*).*$/gm, ''),
  );
  expect(code.filter((text) => text.includes(`${name}(`))).not.toEqual([]);
});

test('the code names only functions that exist', () => {
  const names = new Set(functions.map(({ name }) => name));
  const named = [...sources, ...ofBaseline, ...functions].flatMap(({ text }) => text.match(FUNCTION_NAME) ?? []);
  expect(named.length).toBeGreaterThan(names.size);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
});
