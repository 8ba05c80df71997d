import { resolve } from 'node:path';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { isRecord, readPrivateJson } from './private-file.js';
import { changeProfilesFile, readProfilesFile } from './profiles-file.js';

export type Profile = {
  base_url: string;
  /** Absent if the credential comes from the environment. The platform knows it. */
  tenant_id?: string;
  client_id: string;
  secret: string;
  /** A file of certificates in PEM. topctl trusts them, and those of Node. */
  ca_file?: string;
};

/** A profile and where it comes from, for messages. */
export type ResolvedProfile = Profile & { source: string };

export type ProfileFlags = { profileFile?: string; profile?: string; baseUrl?: string };

/** For a command that must act as the same credential. */
export function profileFlags({ profile, profileFile }: ProfileFlags): string {
  if (profileFile) return ` --profile-file ${profileFile}`;
  return profile ? ` --profile ${profile}` : '';
}

/**
 * Flags take precedence over the environment, and the environment over the saved profile `default`. client_id and
 * secret always come from the same source, so a secret is never sent with another credential's client_id.
 */
export async function resolveProfile(context: Context, flags: ProfileFlags): Promise<ResolvedProfile> {
  const { env } = context;
  if (flags.profileFile && flags.profile) throw new UsageError('--profile-file and --profile exclude each other');
  const isNamed = Boolean(flags.profileFile || flags.profile);
  const profile =
    !isNamed && (env.TOP_CLIENT_ID || env.TOP_SECRET)
      ? profileOfEnvironment(context, flags)
      : {
          ...(await readStoredProfile(context, flags)),
          ...(!isNamed && env.TOP_BASE_URL && { base_url: env.TOP_BASE_URL }),
        };
  return { ...profile, base_url: flags.baseUrl ?? profile.base_url };
}

/** The name of the saved profile in use; undefined if the credential comes from a file or the environment. */
export function nameInUse({ env }: Context, flags: ProfileFlags, { current }: { current: string }): string | undefined {
  if (flags.profileFile) return undefined;
  if (flags.profile) return flags.profile;
  if (env.TOP_CLIENT_ID || env.TOP_SECRET || env.TOP_PROFILE_FILE) return undefined;
  return env.TOP_PROFILE || current;
}

function profileOfEnvironment({ env }: Context, flags: ProfileFlags): ResolvedProfile {
  const baseUrl = flags.baseUrl ?? env.TOP_BASE_URL;
  if (baseUrl && env.TOP_CLIENT_ID && env.TOP_SECRET) {
    return { base_url: baseUrl, client_id: env.TOP_CLIENT_ID, secret: env.TOP_SECRET, source: 'the environment' };
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

async function readStoredProfile(context: Context, flags: ProfileFlags): Promise<ResolvedProfile> {
  const { env } = context;
  const path = flags.profileFile ?? (flags.profile ? undefined : env.TOP_PROFILE_FILE);
  if (path) return readProfileFile(context, path);
  const { profiles, current } = await readProfilesFile(context);
  const name = nameInUse(context, flags, { current }) ?? current;
  if (Object.hasOwn(profiles, name)) return checkedProfile(profiles[name], `the profile ${name}`);
  if (flags.profile || env.TOP_PROFILE) throw unknownProfile(name, profiles);
  throw new UsageError(`there is no profile; save one with "topctl login", or use one of these
  --profile-file PATH or TOP_PROFILE_FILE   a JSON file {base_url, tenant_id, client_id, secret}
  --profile NAME or TOP_PROFILE             a profile that "topctl login" saved
  TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET   all three in the environment`);
}

export async function readProfileFile(context: Context, path: string): Promise<ResolvedProfile> {
  const profile = await readPrivateJson(context, resolve(context.cwd, path));
  if (profile === undefined) throw new UsageError(`there is no profile file ${path}`);
  return checkedProfile(profile, path);
}

export function unknownProfile(name: string, profiles: Record<string, unknown>): UsageError {
  const known = Object.keys(profiles).join(', ') || 'none';
  return new UsageError(`there is no profile ${name} (saved: ${known}); save it with: topctl login --profile ${name}`);
}

/** Saves a profile. Without a name it is `default`, and it becomes the one that needs no flag. */
export function saveProfile(context: Context, name: string | undefined, profile: Profile): Promise<string> {
  return changeProfilesFile(context, ({ profiles, current }) => ({
    profiles: { ...profiles, [name ?? 'default']: profile },
    current: name === undefined ? 'default' : current,
  }));
}

function checkedProfile(profile: unknown, source: string): ResolvedProfile {
  const { base_url, tenant_id, client_id, secret, ca_file } = isRecord(profile) ? profile : {};
  const missing = Object.entries({ base_url, client_id, secret })
    .filter(([, value]) => typeof value !== 'string' || value === '')
    .map(([name]) => name);
  if (missing.length > 0) throw new UsageError(`${source} lacks ${missing.join(', ')}`);
  return {
    base_url: base_url as string,
    ...(typeof tenant_id === 'string' && { tenant_id }),
    client_id: client_id as string,
    secret: secret as string,
    ...(typeof ca_file === 'string' && { ca_file }),
    source,
  };
}

const SAVED = /^the profile (.+)$/;

/** The name of a saved profile, from the source of a resolved one. */
export const savedName = (source: string): string | undefined => SAVED.exec(source)?.[1];

/** Gives a saved profile another address, one that the client accepts. */
export function moveProfile(context: Context, name: string, baseUrl: string): Promise<string> {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isAddress = /^https?:$/.test(url?.protocol ?? '') && !/[@?#]|\/api\/v1\/*$/.test(baseUrl);
  if (!isAddress) {
    throw new UsageError(`${baseUrl} is no address of a platform: it must be like https://cell-b.example.com`);
  }
  return changeProfilesFile(context, (file) => {
    const profile = file.profiles[name];
    if (!Object.hasOwn(file.profiles, name) || !isRecord(profile)) throw unknownProfile(name, file.profiles);
    return { ...file, profiles: { ...file.profiles, [name]: { ...profile, base_url: baseUrl } } };
  });
}
