import {
  ConnectionError,
  type ErrorContext,
  type FetchInit,
  type FetchResponse,
  isConnectionError,
  isTimeoutError,
  type PresignedRequest,
  type PresignRequest,
  type RequestOptions,
  type RuntimeReadableStream,
  type TenantOpenPlatform,
  TimeoutError,
} from '@tenant-open-platform/sdk';
import { explainCause } from '../core/attempt.js';
import { backOffMs } from '../core/retry.js';
import { sleep } from '../core/sleep.js';
import { isObjectStoreError, ObjectStoreError } from './object-store-error.js';

/** How far a transfer is. It counts from 0 again where the transfer is repeated. */
export interface TransferProgress {
  transferredBytes: number;
  /** Null where the store does not say how large the object is. */
  totalBytes: number | null;
}

export interface TransferOptions extends Pick<RequestOptions, 'signal' | 'requestId'> {
  /** How long one attempt of the transfer may take as a whole, in milliseconds. Default: as long as it needs. */
  timeoutMs?: number | undefined;
  /** How often a failed transfer is repeated, each time with another presigned URL; 0 for never. Default: 2. */
  maxRetries?: number | undefined;
  /** Called as the bytes go over the network. What it throws is ignored. */
  onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** One attempt of a transfer. */
interface Attempt {
  grant: PresignedRequest;
  /** Sends the presigned request and resolves with a success of the store, before its body is read. */
  exchange(init: Pick<FetchInit, 'body' | 'duplex'>): Promise<FetchResponse>;
  /** What it means that the rest of the exchange failed. */
  explain(cause: unknown): unknown;
}

/** Presigns and sends; does both again where a failure of the transfer may pass. */
export async function transfer<T>(
  client: TenantOpenPlatform,
  request: PresignRequest,
  options: TransferOptions,
  send: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { signal, requestId, maxRetries = 2 } = options;
  for (let attempts = 1; ; attempts += 1) {
    const grant = await client.objects.presign(request, { signal, requestId, maxRetries });
    const operation = `objects.${request.operation.toLowerCase()}`;
    try {
      return await send(begin(client, grant, options, { operation, requestId: grant.request_id, attempts }));
    } catch (error) {
      if (attempts > maxRetries || !mayPass(error)) throw error;
      await sleep(backOffMs(attempts - 1), signal);
    }
  }
}

function mayPass(error: unknown): boolean {
  return isConnectionError(error) || isTimeoutError(error) || (isObjectStoreError(error) && error.retryable);
}

/** Nothing but the presigned request itself reaches the store: no header of the platform, nothing of its secret. */
function begin(
  { fetch }: TenantOpenPlatform,
  grant: PresignedRequest,
  { signal, timeoutMs }: TransferOptions,
  context: ErrorContext,
): Attempt {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const explain = (cause: unknown) => {
    if (isObjectStoreError(cause)) return cause;
    if (signal?.aborted) return signal.reason;
    if (timeout?.aborted) return new TimeoutError(`The transfer took longer than ${timeoutMs} ms.`, context);
    // Some runtimes quote the URL, which is a secret while it works; the cause is left out for the same reason.
    const reason = explainCause(cause).replace(/https?:\S+/g, 'the store');
    return new ConnectionError(`The transfer failed: ${reason}.`, context);
  };
  const { url, method, headers } = grant;
  const exchange: Attempt['exchange'] = async (init) => {
    const signals = AbortSignal.any([signal, timeout].filter((it) => it !== undefined));
    try {
      const response = await fetch(url, { ...init, method, headers, redirect: 'manual', signal: signals });
      if (response.status >= 200 && response.status < 300) return response;
      throw refusal(response.status, await response.text(), context);
    } catch (cause) {
      throw explain(cause);
    }
  };
  return { grant, exchange, explain };
}

/** Stores explain themselves in XML. Only these two fields are passed on: others quote what was signed. */
function refusal(status: number, text: string, context: ErrorContext): ObjectStoreError {
  const field = (name: string) => new RegExp(`<${name}>([^<]{1,300})<`).exec(text)?.[1];
  return new ObjectStoreError({ status, code: field('Code'), message: field('Message') }, context);
}

/** Adds up bytes and reports the sum. */
export function counter(onProgress: TransferOptions['onProgress'], totalBytes: number | null) {
  let transferredBytes = 0;
  const count = (bytes: number) => {
    transferredBytes += bytes;
    try {
      onProgress?.({ transferredBytes, totalBytes });
    } catch {}
  };
  return { count, transferredBytes: () => transferredBytes };
}

/** The same bytes, counted as they are asked for. */
export function counted(
  stream: RuntimeReadableStream,
  count: (bytes: number) => void,
  explain: (cause: unknown) => unknown,
): RuntimeReadableStream {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          count(value.length);
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
