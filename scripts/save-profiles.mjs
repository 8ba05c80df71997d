import { EventEmitter } from 'node:events';
import { openAsBlob } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { root } from './root.mjs';

const files = { admin: 'platform-admin.json', demo: 'demo.json' };

/**
 * Saves the first credentials as the profiles `admin` and `demo` of topctl. A profile of another platform or of another
 * credential stays as it is, and so does the profile in use.
 */
export async function saveProfiles(baseUrl, directory) {
  const saved = [];
  const added = [];
  const notes = [];
  try {
    const topctl = await topctlOfThisUser();
    const known = JSON.parse(await topctl('profile', 'list', '-o', 'json'));
    for (const [name, file] of Object.entries(files)) {
      const path = join(directory, file);
      const text = await fs.readFile(path, 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      const { client_id } = JSON.parse(text);
      const other = known.find((profile) => profile.name === name);
      if (other && (other.client_id !== client_id || other.base_url !== baseUrl)) {
        notes.push(`topctl has another profile ${name}, ${other.client_id} at ${other.base_url}: it stays as it is.`);
        continue;
      }
      // The secret of a saved profile may be newer than that of the file.
      const works = other && (await topctl('--profile', name, 'whoami', '--timeout', '5').catch(() => undefined));
      if (!works) {
        await topctl('login', '--profile-file', path, '--profile', name, '--base-url', baseUrl, '--timeout', '5');
        added.push(`--profile ${name}`);
      }
      saved.push(name);
    }
  } catch (error) {
    notes.push(`The credentials are not saved as profiles of topctl. ${error.message}`);
  }
  if (added.length > 0) notes.unshift(`topctl has saved them as profiles: ${added.join(', ')}`);
  return { saved, notes };
}

/** topctl in this process. It gets no credential of the environment, and no proxy: the platform is on this machine. */
async function topctlOfThisUser() {
  const { run } = await import(pathToFileURL(join(root, 'cli', 'dist', 'app.js')).href);
  const { HOME, XDG_CONFIG_HOME } = process.env;
  const shared = { env: { HOME, XDG_CONFIG_HOME }, cwd: process.cwd(), fs, openAsBlob, fetch };
  return async (...argv) => {
    const [stdout, stderr] = [collector(), collector()];
    const signals = new EventEmitter();
    const exitCode = await run({ ...shared, argv, stdin: Readable.from([]), stdout, stderr, signals });
    if (exitCode !== 0) throw new Error(stderr.text().trim());
    return stdout.text();
  };
}

function collector() {
  const chunks = [];
  const write = (chunk, _encoding, done) => {
    chunks.push(chunk);
    done();
  };
  return Object.assign(new Writable({ write }), { text: () => Buffer.concat(chunks).toString('utf8') });
}
