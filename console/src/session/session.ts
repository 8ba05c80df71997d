import { type Me, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { useSyncExternalStore } from 'react';
import { forgetEverything } from '../app/query-client';

/** The address of this page without `/console` is the base URL of the platform, with its path prefix. */
export const baseUrl = new URL('.', location.href).href.replace(/\/$/, '');

export type Session = { client: TenantOpenPlatform; me: Me; end: () => void };

/** Why nobody is signed in. FIRST: the page was just opened. */
export type Ending = 'FIRST' | 'IDLE' | 'REFUSED' | 'BY_READER';

type State = { session: Session | null; ending: Ending; lastClientId: string };

let state: State = { session: null, ending: 'FIRST', lastClientId: '' };
const readers = new Set<() => void>();

function change(next: Partial<State>): void {
  state = { ...state, ...next };
  for (const tell of readers) tell();
}

const subscribe = (tell: () => void) => {
  readers.add(tell);
  return () => void readers.delete(tell);
};

export const useSessionState = (): State => useSyncExternalStore(subscribe, () => state);

export function useSession(): Session {
  const { session } = useSessionState();
  if (!session) throw new Error('useSession() was called while signed out.');
  return session;
}

/** A key that signs and cannot be read. The secret is not kept. */
async function importSecret(clientId: string, secret: string): Promise<CryptoKey> {
  // Throws if one of them is malformed, with a text for the reader.
  new TenantOpenPlatform({ baseUrl, clientId, secret, dangerouslyAllowBrowser: true });
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

/** Throws what the platform or the client refuses. */
export async function signIn(clientId: string, secret: string): Promise<void> {
  const key = await importSecret(clientId, secret);
  const ended = new AbortController();
  // After the end nothing leaves the browser, also no retry of what is under way.
  const client = new TenantOpenPlatform({
    baseUrl,
    clientId,
    secret: key,
    dangerouslyAllowBrowser: true,
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.any([ended.signal, init.signal as AbortSignal]) }),
  });
  const me = await client.me.get();
  change({ session: { client, me, end: () => ended.abort() }, lastClientId: clientId });
}

/** Forgets the key and everything that was read with it. */
export function endSession(ending: Exclude<Ending, 'FIRST'>): void {
  if (!state.session) return;
  state.session.end();
  change({ session: null, ending });
  forgetEverything();
}
