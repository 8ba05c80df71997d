import type { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Context } from '../context.js';
import { networkOf } from './network.js';
import { logAttempts, noteClock, noteSilence, type WrapFetch } from './notices.js';
import { type Profile, type ProfileFlags, type ResolvedProfile, resolveProfile } from './profile.js';
import { recordRequests, type SentRequest } from './sent-request.js';

/** A profile and its client. */
export type Session = {
  profile: Profile;
  /** Where the profile comes from. */
  source: string;
  client: TenantOpenPlatform;
  /** For requests without an operation. They are recorded and held back like the requests of the client. */
  fetch: typeof fetch;
  /** Sends requests of topctl itself, such as those of doctor. They are not recorded. */
  network: typeof fetch;
  /** The last request, to explain a refused signature. */
  lastRequest: () => SentRequest | undefined;
  /** The last request that may have changed something. */
  lastChange: () => SentRequest | undefined;
  /** Whether an answer said that its idempotency key was used before. */
  isReplay: () => boolean;
  /** How far the platform's clock is ahead of this machine's, once an answer has told. */
  clockOffsetMs: () => number;
  /** The tenant of the credential. */
  tenant: () => Promise<string>;
  /** The same for messages: undefined if the platform does not tell it at once. */
  tenantIfKnown: () => Promise<string | undefined>;
};

export type SessionFlags = ProfileFlags & {
  /** How long a call may take with its repetitions, in seconds. */
  timeout?: number;
  verbose?: true;
};

export async function openSession(context: Context, flags: SessionFlags, wrap: WrapFetch): Promise<Session> {
  return connect(context, await resolveProfile(context, flags), flags, wrap);
}

export async function connect(
  context: Context,
  { source, ...profile }: ResolvedProfile,
  { timeout, verbose }: SessionFlags,
  wrap: WrapFetch = (send) => send,
): Promise<Session> {
  const { TenantOpenPlatform } = await import('@tenant-open-platform/sdk');
  const { client_id: clientId, secret } = profile;
  const baseUrl = profile.base_url.replace(/\/+$/, '');
  const clock = noteClock(context);
  const wraps = [
    clock,
    noteSilence(context, { baseUrl, source }),
    ...(verbose ? [logAttempts(context, baseUrl)] : []),
    wrap,
  ];
  const network = await networkOf(context, profile);
  const recorder = recordRequests(wraps.reduce((send, wrapFetch) => wrapFetch(send), network));
  const limits = timeout === undefined ? {} : { timeoutMs: timeout * 1000, deadlineMs: timeout * 1000 };
  // topctl says itself that nothing answers.
  const logLevel = context.env.TOP_LOG ? undefined : 'off';
  const client = new TenantOpenPlatform({ baseUrl, clientId, secret, fetch: recorder.fetch, logLevel, ...limits });
  return {
    profile,
    source,
    client,
    fetch: recorder.fetch,
    network,
    lastRequest: recorder.last,
    lastChange: recorder.lastChange,
    isReplay: recorder.isReplay,
    clockOffsetMs: clock.offsetMs,
    tenant: async () => (profile.tenant_id ??= (await client.me.get()).tenant_id),
    tenantIfKnown: async () => profile.tenant_id ?? (await meAtOnce(client))?.tenant_id,
  };
}

export const platformVersion = async (client: TenantOpenPlatform) => (await meAtOnce(client))?.platform_version;

/** For messages, which must not wait for a platform that does not answer. */
export const meAtOnce = (client: TenantOpenPlatform) =>
  client.me.get({ timeoutMs: 3_000, maxRetries: 0 }).catch(() => undefined);
