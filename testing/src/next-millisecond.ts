/**
 * Resolves in a later millisecond. Instants and ids of the platform are exact to the millisecond: what two requests
 * create has a known order only if they are sent in two of them.
 */
export async function nextMillisecond(): Promise<void> {
  const from = Date.now();
  // The database rounds an instant up, too.
  while (Date.now() <= from + 1) await new Promise(setImmediate);
}
