import type { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Context } from '../context.js';
import { type Profile, type ProfileFlags, resolveProfile } from './profile.js';
import { recordRequests, type SentRequest } from './sent-request.js';

/** A profile and its client. */
export type Session = {
  profile: Profile;
  client: TenantOpenPlatform;
  /** For requests without an operation. They are recorded and held back like the requests of the client. */
  fetch: typeof fetch;
  /** The last request, to explain a refused signature. */
  lastRequest: () => SentRequest | undefined;
  /** Whether an answer said that its idempotency key was used before. */
  isReplay: () => boolean;
};

type WrapFetch = (send: typeof fetch) => typeof fetch;

export async function openSession(context: Context, flags: ProfileFlags, wrap: WrapFetch): Promise<Session> {
  return connect(context, await resolveProfile(context, flags), wrap);
}

export async function connect(context: Context, profile: Profile, wrap: WrapFetch = (send) => send): Promise<Session> {
  const { TenantOpenPlatform } = await import('@tenant-open-platform/sdk');
  const recorder = recordRequests(wrap(context.fetch));
  const client = new TenantOpenPlatform({
    baseUrl: profile.base_url,
    clientId: profile.client_id,
    secret: profile.secret,
    fetch: recorder.fetch,
  });
  return { profile, client, fetch: recorder.fetch, lastRequest: recorder.last, isReplay: recorder.isReplay };
}
