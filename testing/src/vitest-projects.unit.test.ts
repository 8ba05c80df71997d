import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { dependsOnNode } from '../../vitest.config.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `**` matches folders, `*` a part of a name. */
const toRegExp = (pattern: string) =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('**/', '(.+/)?').replaceAll('*', '[^/]*')}$`);

test.each(dependsOnNode)('the tests that depend on the version of Node: %s matches a file', (pattern) => {
  const folder = pattern.slice(0, pattern.search(/[^/]*\*|[^/]*$/));
  const files = readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => toRegExp(pattern).test(`${folder}${file}`))).not.toEqual([]);
});
