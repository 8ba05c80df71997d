/** ` Did you mean reboot?` if a known word differs from the given one by a typing error or two. */
export function didYouMean(given: string, known: readonly string[]): string {
  const [nearest] = known
    .map((word) => ({ word, distance: distanceOf(given.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= Math.max(2, word.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return nearest ? ` Did you mean ${nearest.word}?` : '';
}

/** Levenshtein: how many characters must be added, removed or replaced. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
