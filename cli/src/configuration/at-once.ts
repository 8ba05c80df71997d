/** Enough to hide the way to the platform, few enough not to burden it. */
const AT_ONCE = 8;

/** Works on several items at once, or on one after the other. The results are in the order of the items. */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { isAllowed = true } = {},
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: isAllowed ? AT_ONCE : 1 }, worker));
  return results;
}
