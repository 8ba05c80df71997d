import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from './at-end.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

function name(parameters: (folder: string) => string[], env: Record<string, string>): Record<string, unknown> {
  const folder = temporaryFolder();
  copyFileSync(join(root, 'sdk/package.json'), join(folder, 'package.json'));
  const program = join(root, 'scripts/name-repository.mjs');
  execFileSync(process.execPath, [program, ...parameters(folder)], { env, stdio: 'pipe' });
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

test('no manifest names a repository before a release does', () => {
  for (const folder of ['contract', 'server', 'sdk', 'cli']) {
    expect(readFileSync(join(root, folder, 'package.json'), 'utf8')).not.toMatch(/"(repository|homepage|bugs)"/);
  }
});

/** `pnpm -r publish` does not pass `--provenance` to npm. */
test('every manifest demands provenance', () => {
  for (const folder of ['contract', 'server', 'sdk', 'cli']) {
    const { publishConfig } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    expect(publishConfig, folder).toMatchObject({ provenance: true });
  }
});

test('a release names the repository that it runs in, and changes nothing else', () => {
  const url = 'https://git.example.com/group/platform';
  const named = name((folder) => [url, folder], {});
  expect(named).toMatchObject({
    homepage: url,
    bugs: `${url}/issues`,
    repository: { type: 'git', url: `git+${url}.git` },
  });
  const { homepage, bugs, repository, ...others } = named;
  expect(others).toEqual(JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8')));
});

test('a release without the address of its repository is refused', () => {
  expect(() => name(() => [], {})).toThrow('Usage: node scripts/name-repository.mjs');
});
