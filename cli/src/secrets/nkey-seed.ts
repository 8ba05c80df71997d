const SEED = /S[ACNOUX][A-Z2-7]{56}/gi;

/** For messages that quote a refused value. */
export function withoutSeeds(text: string): string {
  return text.replace(SEED, '(private seed)');
}

/**
 * Whether a text contains a seed. In place of a public key, any text that begins with S counts as a seed, even if
 * truncated or mistyped.
 */
export function holdsSeed(text: string, { isKey }: { isKey: boolean }): boolean {
  return text.search(SEED) >= 0 || (isKey && /^\s*S/i.test(text));
}
