import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fail, root } from './root.mjs';

/**
 * Before packages are published, writes into their manifests where their source is: npm demands it for provenance. The
 * repository may move, so no address of it is committed.
 */
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
const [url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`, ...folders] = process.argv.slice(2);
if (!/^https:\/\/[^/]+\/.+[^/]$/.test(url)) {
  fail('Usage: node scripts/name-repository.mjs <https URL of the repository>. A workflow of GitHub needs no URL.');
}

for (const folder of folders.length > 0 ? folders : ['contract', 'server', 'sdk', 'cli']) {
  const file = join(resolve(root, folder), 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const repository = { type: 'git', url: `git+${url}.git`, directory: relative(root, join(file, '..')) };
  const named = { ...manifest, homepage: url, repository, bugs: `${url}/issues` };
  writeFileSync(file, `${JSON.stringify(named, null, 2)}\n`);
}
