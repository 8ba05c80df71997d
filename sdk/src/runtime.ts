/**
 * The few platform types in public declarations, taken from the types that the consumer compiles with. So the package
 * needs neither lib.dom nor @types/node.
 */
export type RuntimeAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : {
      readonly aborted: boolean;
      readonly reason?: unknown;
      addEventListener(type: 'abort', listener: () => void): void;
      removeEventListener(type: 'abort', listener: () => void): void;
    };

/** A CryptoKey. Where its type is unknown, any object is one. */
export type RuntimeKey = typeof globalThis extends { CryptoKey: { prototype: infer Key } } ? Key : object;

export type RuntimeBlob = typeof globalThis extends { Blob: { prototype: infer Value } }
  ? Value
  : {
      readonly size: number;
      readonly type: string;
      arrayBuffer(): Promise<ArrayBuffer>;
      text(): Promise<string>;
    };

export type RuntimeReadableStream = typeof globalThis extends { ReadableStream: { prototype: infer Stream } }
  ? Stream
  : {
      getReader(): {
        read(): Promise<{ done: boolean; value?: Uint8Array }>;
        cancel(reason?: unknown): Promise<void>;
      };
    };

/** Headers of an answer; names are case-insensitive. */
export interface ResponseHeaders {
  get(name: string): string | null;
  forEach(callback: (value: string, name: string) => void): void;
}

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  /**
   * JSON text; a Blob or a ReadableStream of an upload; absent if the request has no body. Any: lib.dom, Node and
   * undici each declare their own types for the same objects, and every fetch must fit.
   */
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  body?: any;
  /** Required for a stream as the body. */
  duplex?: 'half';
  redirect: 'manual' | 'error';
  signal: RuntimeAbortSignal;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** A ReadableStream. */
  // biome-ignore lint/suspicious/noExplicitAny: as the body of a request.
  readonly body: any;
  text(): Promise<string>;
}

/** The part of the standard `fetch` that the client uses. It must send `init` unchanged: the signature covers it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;
