import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Creates what the platform and NATS need before their first start, once: the keyring, the platform's nkey, and the
 * configuration of nats-server. Run as root, it gives these folders and files to the user 1000.
 */
const [secrets, nats, natsData] = process.argv.slice(2);

/** topctl never overwrites a file, so it writes to a folder that is empty also after a killed run. */
function createUserKey() {
  const folder = `${secrets}/new`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  execFileSync('topctl', ['bus', 'keygen', `${folder}/platform`], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [seed, publicKey] = ['nk', 'pub'].map((kind) => readFileSync(`${folder}/platform.${kind}`, 'utf8').trim());
  rmSync(folder, { recursive: true });
  return { seed, publicKey };
}

const files = {
  natsConfig: `${nats}/nats.conf`,
  accounts: `${nats}/accounts.conf`,
  keyring: `${secrets}/keyring.json`,
  publicKey: `${secrets}/platform.pub`,
  seed: `${secrets}/platform.nk`,
};

const write = (file, content) => writeFileSync(file, content, { mode: 0o600 });
if (!existsSync(files.seed)) {
  const { seed, publicKey } = createUserKey();
  write(files.accounts, `accounts { TOP { jetstream: enabled, users: [ { nkey: ${publicKey} } ] } }\n`);
  write(files.keyring, JSON.stringify({ primary: 'k1', keys: { k1: randomBytes(32).toString('base64') } }));
  write(files.publicKey, publicKey);
  // Last: with it the folders are complete.
  write(files.seed, seed);
}
// On every run: an earlier version had other settings. Monitoring shows keys: only the health check may read it.
write(
  files.natsConfig,
  `jetstream { store_dir: ${JSON.stringify(natsData)} }\nhttp: "127.0.0.1:8222"\ninclude "accounts.conf"\n`,
);
// Last, and on every run: without further capabilities, root cannot write to the files of another user. A run may be
// killed at any line.
for (const path of [...Object.values(files), secrets, nats, natsData]) chownSync(path, 1000, 1000);
