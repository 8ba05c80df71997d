const SEED = /S[ACNOUX][A-Z2-7]{56}/gi;

/** For messages that quote what they refuse. */
export function withoutSeeds(text: string): string {
  return text.replace(SEED, '(private seed)');
}

/** What begins as a seed in the place of a public key is one, cut off or mistyped. */
export function holdsSeed(text: string, { isKey }: { isKey: boolean }): boolean {
  return text.search(SEED) >= 0 || (isKey && /^\s*S/i.test(text));
}
