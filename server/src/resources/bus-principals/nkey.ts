import { fromPublic } from '@nats-io/nkeys';

/** The first characters of the public nkeys of an account and of a user. */
export type KeyKind = 'A' | 'U';

/** Exactly 35 bytes. The decoder drops the rest of a longer text, which would be a second name of the key. */
const PUBLIC_KEY = /^[A-Z2-7]{56}$/;

export function isPublicKey(kind: KeyKind, text: string): boolean {
  if (!PUBLIC_KEY.test(text) || !text.startsWith(kind)) return false;
  try {
    fromPublic(text);
    return true;
  } catch {
    return false;
  }
}

export const beginsAsSeed = (text: string) => /^\s*(S|s[acnoux][a-z2-7]{56})/.test(text);

/** Whether a text contains a private seed. A seed in lower case counts as disclosed too. */
export const holdsSeed = (text: string) => /S[ACNOUX][A-Z2-7]{56}/i.test(text);
