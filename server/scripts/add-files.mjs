import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { writeNotices } from '../../scripts/bundled-packages.mjs';
import { bundledPackages, server } from './bundled-packages.mjs';

/**
 * Run by the build: puts into `dist` the public files that the server serves, each also compressed, the files that run
 * it in production, and the licences of everything bundled. A public file lies at its path, a page as `<path>.html`.
 */
const dist = join(server, 'dist');
const documents = join(dist, 'documents');
const contract = (name) => readFileSync(join(server, '../contract', name), 'utf8');
const pages = join(documents, 'pages');

const descriptions = { 'llms.txt': contract('llms.txt') };
for (const name of ['openapi', 'asyncapi']) {
  const document = JSON.parse(contract(`${name}.json`));
  descriptions[`${name}.json`] = JSON.stringify(document);
  descriptions[`${name}.yaml`] = stringify(document, { aliasDuplicateObjects: false });
}
mkdirSync(join(documents, 'descriptions'), { recursive: true });
for (const [name, text] of Object.entries(descriptions)) writeFileSync(join(documents, 'descriptions', name), text);

cpSync(join(server, '../reference/dist'), join(pages, 'docs'), { recursive: true });
const move = (from, to) => {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(join(pages, 'docs', from), to);
};
move('page.html', join(pages, 'docs.html'));
move('not-found.html', join(documents, 'not-found.html'));
// Without the reference page there are only the errors, because the SDK links to them.
move('errors.html', join(documents, 'errors-page/docs/errors.html'));
for (const name of ['guides.css', 'icon.svg']) {
  cpSync(join(pages, 'docs', name), join(documents, 'errors-page/docs', name));
}
for (const name of readdirSync(join(pages, 'docs/guides'))) move(`guides/${name}`, join(pages, 'docs', name));
rmdirSync(join(pages, 'docs/guides'));

/** The programs and settings of the guides, at the path that they have in the repository: a reader needs no clone. */
const EXAMPLE = /\.(?:acl|conf|cs|go|java|mjs|php|py|rb|rs|sh|toml|ts)$/;
cpSync(join(server, '../examples'), join(pages, 'examples'), {
  recursive: true,
  filter: (path) =>
    statSync(path).isDirectory()
      ? !/[/\\](?:node_modules|target|dist)$/.test(path)
      : EXAMPLE.test(path) && !/\.test\.ts$/.test(path),
});
mkdirSync(join(pages, 'sdk'), { recursive: true });
cpSync(join(server, '../sdk/api.md'), join(pages, 'sdk/api.md'));

const ofConsole = join(documents, 'console');
for (const name of ['console.html', 'console']) {
  cpSync(join(server, '../console/dist', name), join(ofConsole, name), { recursive: true });
}

const PUBLIC = ['.css', '.html', '.jpg', '.js', '.json', '.md', '.svg', '.txt', '.yaml'];
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
for (const folder of ['descriptions', 'pages', 'errors-page', 'console']) {
  for (const name of readdirSync(join(documents, folder), { recursive: true })) {
    if (!PUBLIC.includes(extname(name)) && !EXAMPLE.test(name)) continue;
    const file = join(documents, folder, name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, BROTLI));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  }
}

for (const name of ['helm', 'monitoring', 'nats-accounts.sh', 'nginx.conf', 'nginx-cells.conf', 'systemd']) {
  cpSync(join(server, '../deploy', name), join(dist, 'deploy', name), { recursive: true });
}

writeNotices(server, bundledPackages());
