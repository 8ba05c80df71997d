/** Shares one look among all callers of a second, and one that takes longer among all who come while it runs. */
export function onceASecond<Result>(look: () => Promise<Result>): () => Promise<Result> {
  let shared: Promise<Result> | null = null;
  return () => {
    if (shared) return shared;
    const forget = () => setTimeout(() => (shared = null), 1_000).unref();
    shared = look();
    shared.then(forget, forget);
    return shared;
  };
}
