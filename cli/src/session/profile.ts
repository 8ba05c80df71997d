import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { writeFileAtomically } from '../write-file-atomically.js';

export type Profile = {
  base_url: string;
  /** Absent if the credential comes from the environment. The platform knows it. */
  tenant_id?: string;
  client_id: string;
  secret: string;
};

export type ProfileFlags = { profileFile?: string; profile?: string; baseUrl?: string };

/**
 * Flags take precedence over the environment, and the environment over the saved profile `default`. client_id and
 * secret always come from the same source, so a secret is never sent with another credential's client_id.
 */
export async function resolveProfile(context: Context, flags: ProfileFlags): Promise<Profile> {
  const { env } = context;
  if (flags.profileFile && flags.profile) throw new UsageError('--profile-file and --profile exclude each other');
  const profile = flags.profileFile
    ? await readProfileFile(context, flags.profileFile)
    : flags.profile
      ? await readNamedProfile(context, flags.profile)
      : env.TOP_CLIENT_ID || env.TOP_SECRET
        ? profileOfEnvironment(context, flags)
        : { ...(await readStoredProfile(context)), ...(env.TOP_BASE_URL && { base_url: env.TOP_BASE_URL }) };
  return { ...profile, base_url: flags.baseUrl ?? profile.base_url };
}

function profileOfEnvironment({ env }: Context, flags: ProfileFlags): Profile {
  const baseUrl = flags.baseUrl ?? env.TOP_BASE_URL;
  if (baseUrl && env.TOP_CLIENT_ID && env.TOP_SECRET) {
    return { base_url: baseUrl, client_id: env.TOP_CLIENT_ID, secret: env.TOP_SECRET };
  }
  const missing = [
    ...(env.TOP_CLIENT_ID ? [] : ['TOP_CLIENT_ID']),
    ...(env.TOP_SECRET ? [] : ['TOP_SECRET']),
    ...(baseUrl ? [] : ['TOP_BASE_URL (or --base-url)']),
  ];
  throw new UsageError(
    `the environment has only a part of a profile; also set ${missing.join(' and ')}, or use --profile-file PATH or --profile NAME`,
  );
}

async function readStoredProfile(context: Context): Promise<Profile> {
  const { env } = context;
  if (env.TOP_PROFILE_FILE) return readProfileFile(context, env.TOP_PROFILE_FILE);
  if (env.TOP_PROFILE) return readNamedProfile(context, env.TOP_PROFILE);
  const profile = (await readProfiles(context)).default;
  if (profile) return checkedProfile(profile, 'the profile default');
  throw new UsageError(`there is no profile; use one of these
  --profile-file PATH or TOP_PROFILE_FILE   a JSON file {base_url, tenant_id, client_id, secret}
  --profile NAME or TOP_PROFILE             a profile that "topctl login" saved
  TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET   all three in the environment`);
}

export async function readProfileFile(context: Context, path: string): Promise<Profile> {
  const text = await readPrivateFile(context, resolve(context.cwd, path));
  if (text === null) throw new UsageError(`there is no profile file ${path}`);
  return checkedProfile(parse(text, path), path);
}

async function readNamedProfile(context: Context, name: string): Promise<Profile> {
  const profiles = await readProfiles(context);
  if (Object.hasOwn(profiles, name)) return checkedProfile(profiles[name], `the profile ${name}`);
  const known = Object.keys(profiles).join(', ') || 'none';
  throw new UsageError(`there is no profile ${name} (saved: ${known}); save it with: topctl login --profile ${name}`);
}

/**
 * The profiles that `topctl login` saved. They are not checked here: a broken profile must not block the other
 * profiles.
 */
async function readProfiles(context: Context): Promise<Record<string, unknown>> {
  const path = profilesPath(context);
  const text = await readPrivateFile(context, path);
  if (text === null) return {};
  const file = parse(text, path);
  if (!isRecord(file) || !isRecord(file.profiles)) throw new UsageError(`${path} is not a file of profiles`);
  return file.profiles;
}

export async function saveProfile(context: Context, name: string, profile: Profile): Promise<string> {
  const path = profilesPath(context);
  const text = `${JSON.stringify({ profiles: { ...(await readProfiles(context)), [name]: profile } }, null, 2)}\n`;
  await context.fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFileAtomically(context, path, (file) => file.writeFile(text), { mode: 0o600 });
  return path;
}

function profilesPath({ env }: Context): string {
  const home = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(home, 'topctl', 'profiles.json');
}

async function readPrivateFile({ fs, stderr }: Context, path: string): Promise<string | null> {
  try {
    const { mode } = await fs.stat(path);
    const text = await fs.readFile(path, 'utf8');
    if (process.platform !== 'win32' && mode & 0o077) {
      stderr.write(`warning: others can read the secret in ${path}; run: chmod 600 ${path}\n`);
    }
    return text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new UsageError(`cannot read ${path}: ${message}`);
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser would quote the text, which contains a secret.
    throw new UsageError(`${path} is not JSON`);
  }
}

function checkedProfile(profile: unknown, source: string): Profile {
  const { base_url, tenant_id, client_id, secret } = isRecord(profile) ? profile : {};
  const missing = Object.entries({ base_url, client_id, secret })
    .filter(([, value]) => typeof value !== 'string' || value === '')
    .map(([name]) => name);
  if (missing.length > 0) throw new UsageError(`${source} lacks ${missing.join(', ')}`);
  return {
    base_url: base_url as string,
    ...(typeof tenant_id === 'string' && { tenant_id }),
    client_id: client_id as string,
    secret: secret as string,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
