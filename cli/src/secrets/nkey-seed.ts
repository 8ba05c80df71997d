const SEED = /S[ACNOUX][A-Z2-7]{56}/gi;

/** For messages that quote the value that they refuse. */
export function withoutSeeds(text: string): string {
  return text.replace(SEED, '(private seed)');
}

/** Whether a text contains a seed. In the place of a public key, any text that begins with S is a seed, cut off or mistyped. */
export function holdsSeed(text: string, { isKey }: { isKey: boolean }): boolean {
  return text.search(SEED) >= 0 || (isKey && /^\s*S/i.test(text));
}
