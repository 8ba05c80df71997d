type Results<Sends extends readonly (() => unknown)[]> = {
  -readonly [K in keyof Sends]: Awaited<ReturnType<Sends[K]>>;
};

/**
 * Sends statements of a transaction in this order, without waiting in between: one round trip. Throws the first error in
 * this order. What follows a failed statement fails too, only because of it.
 */
export async function pipelined<Sends extends readonly (() => unknown)[]>(...sends: Sends): Promise<Results<Sends>> {
  // A query of drizzle is sent when its `then` is called, and again with each further call: `async` calls it once.
  const sent = sends.map(async (send) => send());
  for (const each of sent) each.catch(() => {});
  const results: unknown[] = [];
  for (const each of sent) results.push(await each);
  return results as Results<Sends>;
}
