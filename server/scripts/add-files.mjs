import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Run by the build: puts into `dist` the pages that the server serves, the files that run it in production, and the
 * licences of everything bundled.
 */
const server = fileURLToPath(new URL('..', import.meta.url));
const dist = join(server, 'dist');

for (const name of ['openapi.json', 'asyncapi.json', 'llms.txt']) {
  cpSync(join(server, '../contract', name), join(dist, 'documents', name));
}
cpSync(join(server, '../reference/dist'), join(dist, 'documents/pages'), { recursive: true });
for (const name of ['nats-accounts.sh', 'nginx.conf', 'systemd']) {
  cpSync(join(server, '../deploy', name), join(dist, 'deploy', name), { recursive: true });
}

/** The folder of the package that an installed file belongs to. */
const packageOf = (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];

const { inputs } = JSON.parse(readFileSync(join(dist, 'metafile-esm.json'), 'utf8'));
const { resolve } = createRequire(join(server, '../reference/package.json'));
const files = Object.keys(inputs).map((input) => join(server, input));
files.push(resolve('@scalar/api-reference'), resolve('minisearch'));
const packages = new Set(files.map(packageOf).filter(Boolean));

const licenses = [...packages].map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  return `${name} ${version} (${license})\n${file ? `\n${readFileSync(join(folder, file), 'utf8').trim()}\n` : ''}`;
});
writeFileSync(join(dist, 'third-party-notices.txt'), licenses.sort().join(`\n${'-'.repeat(80)}\n`));
