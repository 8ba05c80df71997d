import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bringPnpm, runPnpm } from './bring-pnpm.mjs';
import { fail, root } from './root.mjs';

const stampFile = join(root, 'node_modules', '.prepared.json');
const lockFile = join(root, '.tools', 'prepare.lock');
const LONGEST_PREPARATION_MS = 15 * 60_000;
const notSources = new Set(['node_modules', 'dist', 'data', 'coverage', '.git', '.tools']);

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (notSources.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function hashOf(files, ...more) {
  const hash = createHash('sha256').update(JSON.stringify(more));
  for (const file of files.sort()) {
    const content = readFileSync(file);
    hash.update(`${file.slice(root.length)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** The inputs of an installation and a build, compared by content: file times mean nothing after a checkout. */
function presentState() {
  const files = filesBelow(root);
  // A folder with a lock file of npm is no package of the workspace.
  const manifests = files.filter(
    (file) => file.endsWith('/package.json') && !existsSync(join(dirname(file), 'package-lock.json')),
  );
  const packages = manifests.map((file) => ({ folder: dirname(file), manifest: readJson(file) }));
  const built = packages.filter(({ folder, manifest }) => folder !== root && manifest.scripts?.build);
  const sources = files.filter(
    (file) => built.some(({ folder }) => file.startsWith(`${folder}/`)) && !/\.(test\.ts|md)$/.test(file),
  );
  const wanted = [...manifests, join(root, 'pnpm-lock.yaml'), join(root, 'pnpm-workspace.yaml')];
  return {
    packages,
    built,
    installHash: hashOf(wanted, process.versions.modules, process.platform, process.arch),
    // The reference renders pages from docs.
    buildHash: hashOf([...sources, ...filesBelow(join(root, 'docs')), join(root, 'tsconfig.base.json')]),
  };
}

/** The links to direct dependencies and the built files, so that a missing one is noticed. */
function installedLinks({ packages }) {
  return packages.flatMap(({ folder, manifest }) =>
    Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).map((name) =>
      join(folder, 'node_modules', name),
    ),
  );
}

const builtFiles = ({ built }) =>
  built.map(({ folder }) => join(folder, 'dist')).flatMap((folder) => (existsSync(folder) ? filesBelow(folder) : []));

/** Whether packages are to be installed, and whether to build. */
export function whatIsMissing() {
  const state = presentState();
  const stamp = existsSync(stampFile) ? readJson(stampFile) : { files: [] };
  const install = stamp.installHash !== state.installHash || !installedLinks(state).every((link) => existsSync(link));
  const build =
    install || stamp.buildHash !== state.buildHash || !stamp.files.every((file) => existsSync(join(root, file)));
  return { state, install, build };
}

function isAbandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > LONGEST_PREPARATION_MS) return true;
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Two preparations at once, such as `npm start` and `npm test`, would each break the other's node_modules. */
async function takeLock() {
  mkdirSync(join(root, '.tools'), { recursive: true });
  for (let announced = false; ; announced = true) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      process.once('exit', () => rmSync(lockFile, { force: true }));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(lockFile)) rmSync(lockFile, { force: true });
    else if (!announced) process.stderr.write('Waiting for another process to install and build …\n');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function step(title, ...parameters) {
  const startedAt = Date.now();
  process.stderr.write(`${title} … `);
  const { ok, output } = runPnpm(...parameters);
  process.stderr.write(ok ? `${((Date.now() - startedAt) / 1000).toFixed(1)} s\n` : 'failed\n');
  if (!ok) fail(output.trim());
}

/** Installs and builds what changed since the last time. */
export async function prepare() {
  if (!whatIsMissing().build) return;
  await takeLock();
  const { state, install, build } = whatIsMissing();
  if (!build) return;
  rmSync(stampFile, { force: true });
  bringPnpm();
  if (install) step('Installing packages', 'install', '--config.confirm-modules-purge=false');
  step('Building', '-r', 'build');
  const { installHash, buildHash } = state;
  const files = builtFiles(state).map((file) => file.slice(root.length + 1));
  writeFileSync(`${stampFile}.new`, JSON.stringify({ installHash, buildHash, files }));
  renameSync(`${stampFile}.new`, stampFile);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepare();
