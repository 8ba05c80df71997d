import { fromPublic } from '@nats-io/nkeys';

/** What the public nkey of an account and of a user begin with. */
export type KeyKind = 'A' | 'U';

/** 56 characters are 35 bytes to the bit. The decoder drops what is left of longer texts: they would be a key's second names. */
const PUBLIC_KEY = /^[A-Z2-7]{56}$/;

/** Whether the text is a public nkey of this kind in the one way to write it. */
export function isPublicKey(kind: KeyKind, text: string): boolean {
  if (!PUBLIC_KEY.test(text) || !text.startsWith(kind)) return false;
  try {
    fromPublic(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text in the place of a key begins as a private seed does. */
export const beginsAsSeed = (text: string) => /^\s*(S|s[acnoux][a-z2-7]{56})/.test(text);

/** Whether any text holds a private seed. In lower case one is as good as disclosed. */
export const holdsSeed = (text: string) => /S[ACNOUX][A-Z2-7]{56}/i.test(text);
