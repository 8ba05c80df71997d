import { ConnectionError, type ErrorContext, ofCall, TimeoutError } from '../errors.js';
import type { Fetch, FetchInit, FetchResponse, RuntimeAbortSignal } from '../runtime.js';

export interface Answer {
  status: number;
  headers: FetchResponse['headers'];
  text: string;
}

/**
 * Sends one request and reads its whole answer. Rejects with a ConnectionError, with a TimeoutError after `timeoutMs`,
 * or with the reason of the caller's signal. It rejects at once, even if `fetch` ignores the abort.
 */
export async function attempt(
  fetch: Fetch,
  url: string,
  init: Omit<FetchInit, 'signal' | 'redirect'>,
  limits: { timeoutMs: number; signal: RuntimeAbortSignal | undefined },
  context: ErrorContext,
): Promise<Answer> {
  const controller = new AbortController();
  let stop: (reason: unknown) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = (reason) => {
      reject(reason);
      controller.abort(reason);
    };
  });
  const abort = () => stop(limits.signal?.reason);
  if (limits.signal?.aborted) throw limits.signal.reason;
  limits.signal?.addEventListener('abort', abort);
  const timer = setTimeout(() => {
    stop(new TimeoutError(...ofCall(`no answer within ${Math.round(limits.timeoutMs)} ms.`, context)));
  }, limits.timeoutMs);
  try {
    return await Promise.race([
      exchange(fetch, url, { ...init, redirect: 'manual', signal: controller.signal }),
      stopped,
    ]);
  } catch (cause) {
    if (controller.signal.aborted) throw controller.signal.reason;
    const reason = `no answer from ${new URL(url).origin}: ${explainCause(cause)}.`;
    throw new ConnectionError(...ofCall(reason, { ...context, cause }));
  } finally {
    clearTimeout(timer);
    limits.signal?.removeEventListener('abort', abort);
  }
}

async function exchange(fetch: Fetch, url: string, init: FetchInit): Promise<Answer> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** `fetch failed` explains nothing; the deepest cause has the reason. */
export function explainCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return explainCause(error.cause);
  return error.message || String((error as { code?: unknown }).code ?? error.name);
}
