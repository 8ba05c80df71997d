export type SentRequest = { method: string; url: URL; headers: Headers; body: unknown };

/** A fetch that remembers its last request. */
export function recordRequests(send: typeof fetch): { fetch: typeof fetch; last: () => SentRequest | undefined } {
  let last: SentRequest | undefined;
  return {
    fetch: (input, init) => {
      const request = input instanceof Request ? input : undefined;
      last = {
        method: init?.method ?? request?.method ?? 'GET',
        url: new URL(request?.url ?? String(input)),
        headers: new Headers(init?.headers ?? request?.headers),
        body: init?.body ?? '',
      };
      return send(input, init);
    },
    last: () => last,
  };
}
