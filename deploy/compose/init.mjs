import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Creates what the other services need before their first start, once. Each folder is a volume of its own, so that a
 * service sees only its own secrets. Run as root, it gives them to the user 1000.
 */
const files = {
  keyring: '/keyring/keyring.json',
  seed: '/nkey/platform.nk',
  publicKey: '/accounts/platform.pub',
  accounts: '/accounts/accounts.conf',
};
const folders = ['/keyring', '/nkey', '/accounts', '/nats', '/administrator', '/accounts-reader'];
const superuserPassword = '/superuser/password';

const write = (file, content) => writeFileSync(file, content, { mode: 0o600 });

/** topctl never overwrites a file, so it writes to a folder that is empty also after a killed run. */
function createUserKey() {
  const folder = '/nkey/new';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  execFileSync('topctl', ['bus', 'keygen', `${folder}/platform`], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [seed, publicKey] = ['nk', 'pub'].map((kind) => readFileSync(`${folder}/platform.${kind}`, 'utf8').trim());
  rmSync(folder, { recursive: true });
  return { seed, publicKey };
}

if (!existsSync(files.seed)) {
  const { seed, publicKey } = createUserKey();
  write(superuserPassword, randomBytes(24).toString('hex'));
  write(files.accounts, `accounts { TOP { jetstream: enabled, users: [ { nkey: ${publicKey} } ] } }\n`);
  write(files.keyring, JSON.stringify({ primary: 'k1', keys: { k1: randomBytes(32).toString('base64') } }));
  write(files.publicKey, publicKey);
  // Last: with it the volumes are complete.
  write(files.seed, seed);
}
// Last, and on every run: without further capabilities, root cannot write to the files of another user. A run may be
// killed at any line.
for (const path of [...Object.values(files), ...folders]) chownSync(path, 1000, 1000);
