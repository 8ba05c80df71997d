/** Caches one result for a second. Calls that arrive while it is read share it. */
export function onceASecond<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let shared: Promise<Result> | null = null;
  return () => {
    if (shared) return shared;
    const forget = () => setTimeout(() => (shared = null), 1_000).unref();
    shared = read();
    shared.then(forget, forget);
    return shared;
  };
}
