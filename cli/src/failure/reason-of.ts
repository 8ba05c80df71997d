/** `fetch failed` explains nothing; the deepest cause has the reason. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || String((error as { code?: unknown }).code ?? error.name);
}
