import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { nullIfAbsent, writeFileAtomically } from '../write-file-atomically.js';
import { withLock } from './lock-file.js';
import { isRecord, readPrivateJson } from './private-file.js';

/** The profiles that `topctl login` saved. */
export type ProfilesFile = {
  /** Not checked here: a broken profile must not block the other profiles. */
  profiles: Record<string, unknown>;
  /** The profile that needs no flag. */
  current: string;
};

const DEFAULT = 'default';

export async function readProfilesFile(context: Context): Promise<ProfilesFile> {
  const path = profilesPath(context);
  const file = (await readPrivateJson(context, path)) ?? { profiles: {} };
  if (!isRecord(file) || !isRecord(file.profiles)) throw new UsageError(`${path} is not a file of profiles`);
  return { profiles: file.profiles, current: typeof file.current === 'string' ? file.current : DEFAULT };
}

/** Reads, changes and writes the file while no other topctl does. Returns its path. */
export async function changeProfilesFile(
  context: Context,
  change: (file: ProfilesFile) => ProfilesFile,
): Promise<string> {
  const path = profilesPath(context);
  await makeFolder(context, dirname(path));
  await withLock(context, `${path}.lock`, async () => {
    const { profiles, current } = change(await readProfilesFile(context));
    const text = `${JSON.stringify({ profiles, ...(current !== DEFAULT && { current }) }, null, 2)}\n`;
    await writeFileAtomically(context, path, (file) => file.writeFile(text), { mode: 0o600 });
  });
  return path;
}

/** Node's own `recursive` never ends below a folder such as /proc, where mkdir answers ENOENT. */
async function makeFolder({ fs }: Pick<Context, 'fs'>, path: string): Promise<void> {
  if (await fs.stat(path).catch(nullIfAbsent)) return;
  await makeFolder({ fs }, dirname(path));
  await fs.mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another topctl was faster.
    if (error.code !== 'EEXIST') throw new UsageError(`cannot create the folder ${path}: ${error.message}`);
  });
}

function profilesPath({ env }: Context): string {
  const home = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(home, 'topctl', 'profiles.json');
}
