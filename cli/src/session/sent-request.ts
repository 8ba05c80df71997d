export type SentRequest = { method: string; url: URL; headers: Headers; body: unknown };

/** Records the requests and answers of a fetch. */
export type Recorder = {
  fetch: typeof fetch;
  /** The last request. */
  last: () => SentRequest | undefined;
  /** The last request that may have changed something. */
  lastChange: () => SentRequest | undefined;
  /** Whether an answer said that its idempotency key was used before. */
  isReplay: () => boolean;
};

/** It only makes a URL. */
const CHANGES_NOTHING = /\/presign$/;

export function recordRequests(send: typeof fetch): Recorder {
  let last: SentRequest | undefined;
  let lastChange: SentRequest | undefined;
  let isReplay = false;
  return {
    fetch: async (input, init) => {
      const request = input instanceof Request ? input : undefined;
      last = {
        method: init?.method ?? request?.method ?? 'GET',
        url: new URL(request?.url ?? String(input)),
        headers: new Headers(init?.headers ?? request?.headers),
        body: init?.body ?? '',
      };
      if (last.method !== 'GET' && !CHANGES_NOTHING.test(last.url.pathname)) lastChange = last;
      const response = await send(input, init);
      isReplay ||= response.headers.get('idempotent-replayed') === 'true';
      return response;
    },
    last: () => last,
    lastChange: () => lastChange,
    isReplay: () => isReplay,
  };
}
