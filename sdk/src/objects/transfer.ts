import { isTransient } from '@tenant-open-platform/contract/facts';
import type { PresignedRequest, PresignRequest } from '../api.gen.js';
import type { Configuration } from '../configuration.js';
import { explainCause } from '../core/attempt.js';
import { outlast } from '../core/outlast.js';
import type { RequestOptions } from '../core/request-options.js';
import { backOffMs } from '../core/retry.js';
import { sleep } from '../core/sleep.js';
import {
  ConnectionError,
  type ErrorContext,
  isConnectionError,
  isObjectStoreError,
  isTimeoutError,
  ObjectStoreError,
  TimeoutError,
} from '../errors.js';
import type { Fetch, FetchInit, FetchResponse, RuntimeReadableStream } from '../runtime.js';

/** The progress of a transfer. It starts from 0 again if the transfer is retried. */
export interface TransferProgress {
  transferredBytes: number;
  /** Null if the store does not report the size of the object. */
  totalBytes: number | null;
}

export interface TransferOptions extends Pick<RequestOptions, 'signal' | 'requestId' | 'headers'> {
  /** The time limit of one attempt of the transfer, in milliseconds. Default: none. */
  timeoutMs?: number | undefined;
  /** How often a failed transfer is retried, each time with a new presigned URL. Default: the setting of the client. */
  maxRetries?: number | undefined;
  /** Called as bytes pass over the network. Errors that it throws are ignored. */
  onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** The parts of the client that a transfer needs. */
export interface Transferring {
  presign(request: PresignRequest, options: RequestOptions): Promise<PresignedRequest>;
  configuration: Pick<Configuration, 'docUrl' | 'fetch' | 'settle'>;
}

/** One attempt of a transfer. */
interface Attempt {
  grant: PresignedRequest;
  /** Sends the presigned request and resolves with a success of the store, before its body is read. */
  exchange(init: Omit<FetchInit, 'method' | 'headers' | 'signal'>): Promise<FetchResponse>;
  /** The error for a failure in the rest of the exchange. */
  explain(cause: unknown): unknown;
  /** Keeps the reason why the content cannot be read: fetch would report it as a network failure. */
  unreadable(cause: unknown): unknown;
}

/** Presigns and sends; does both again if the failure of the transfer may be temporary. */
export async function transfer<T>(
  { presign, configuration: { docUrl, fetch, settle } }: Transferring,
  request: PresignRequest,
  options: TransferOptions & { isRepeatable?: boolean },
  send: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { signal, requestId, isRepeatable = true } = options;
  const { maxRetries, deadlineMs } = settle(options);
  const ask = () => presign(request, { signal, requestId, maxRetries, headers: options.headers });
  for (let attempts = 1; ; attempts += 1) {
    const endsAt = performance.now() + (maxRetries > 0 ? deadlineMs : 0);
    const grant = await outlast(ask, { endsAt, signal });
    const operation = `objects.${request.operation.toLowerCase()}`;
    try {
      return await send(begin(fetch, grant, options, { operation, requestId: grant.request_id, attempts, docUrl }));
    } catch (error) {
      if (!isRepeatable || attempts > maxRetries || !mayPass(error)) throw error;
      await sleep(backOffMs(attempts - 1), signal);
    }
  }
}

function mayPass(error: unknown): boolean {
  return isConnectionError(error) || isTimeoutError(error) || (isObjectStoreError(error) && error.retryable);
}

/** Only the presigned request itself reaches the store: no header of the platform and no part of its secret. */
function begin(
  fetch: Fetch,
  grant: PresignedRequest,
  { signal, timeoutMs }: TransferOptions,
  context: ErrorContext,
): Attempt {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  let unread: { cause: unknown } | undefined;
  const unreadable = (cause: unknown) => {
    unread = { cause };
    return cause;
  };
  const explain = (cause: unknown) => {
    if (isObjectStoreError(cause)) return cause;
    if (signal?.aborted) return signal.reason;
    if (timeout?.aborted) return new TimeoutError(`The transfer took longer than ${timeoutMs} ms.`, context);
    if (unread) return unread.cause;
    // The cause is left out: some runtimes quote the URL in it.
    return new ConnectionError(`The transfer failed: ${withoutGrant(explainCause(cause))}.`, context);
  };
  const { url, method, headers } = grant;
  const exchange: Attempt['exchange'] = async (init) => {
    const signals = AbortSignal.any([signal, timeout].filter((it) => it !== undefined));
    try {
      const response = await fetch(url, { ...init, method, headers, signal: signals });
      if (response.status >= 200 && response.status < 300) return response;
      throw refusal(response.status, await beginningOf(response.body), context);
    } catch (cause) {
      throw explain(cause);
    }
  };
  return { grant, exchange, explain, unreadable };
}

/** The presigned URL, and each part of it that signs, is a secret while it is valid; runtimes and stores quote it. */
function withoutGrant(text: string): string {
  return text.replace(/https?:\S+/gi, 'the store').replace(/X-Amz-[\w-]+(=|%3D)\S+/gi, '…');
}

const MAX_READ_CHARACTERS = 64 * 1024;

/** The beginning of an answer that should be short; the answer of a store may be endless. */
export async function beginningOf(body: RuntimeReadableStream | null): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (reader && text.length < MAX_READ_CHARACTERS) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
  reader?.cancel().catch(() => {});
  return text;
}

/** Stores describe errors in XML. Only these two fields are passed on: other fields quote the signed request. */
function refusal(status: number, text: string, context: ErrorContext): ObjectStoreError {
  const field = (name: string) => {
    const value = new RegExp(`<${name}>([^<]{1,300})<`).exec(text)?.[1];
    return value && withoutGrant(value);
  };
  const code = field('Code');
  const message = `The store answered ${[status, code, field('Message')].filter(Boolean).join(' ')}`;
  // S3 answers 400 RequestTimeout if a connection stalls.
  const retryable = isTransient(status) || code === 'RequestTimeout';
  return new ObjectStoreError(message, { ...context, status, code: code ?? null, retryable });
}

/** Reports the progress of a transfer, each state once. */
export function reporter(onProgress: TransferOptions['onProgress'], totalBytes: number | null) {
  let reported: number | undefined;
  return (transferredBytes: number) => {
    if (transferredBytes === reported) return;
    reported = transferredBytes;
    try {
      onProgress?.({ transferredBytes, totalBytes });
    } catch {}
  };
}

/** The same bytes, read on demand, with a report of their number. */
export function counted(
  stream: RuntimeReadableStream,
  report: (transferredBytes: number) => void,
  explain: (cause: unknown) => unknown,
): RuntimeReadableStream {
  const reader = stream.getReader();
  let transferredBytes = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          transferredBytes += value.length;
          report(transferredBytes);
          controller.enqueue(value);
        } catch (cause) {
          controller.error(explain(cause));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
