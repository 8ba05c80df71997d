import { CLIENT_ID, REQUEST_ID } from '@tenant-open-platform/contract/signature';
import { version } from '../package.json';
import { createObserver, type Hooks, type Logger, type LogLevel, type Observer } from './core/observe.js';
import { checkedHeaders } from './core/request-headers.js';
import type { RequestOptions } from './core/request-options.js';
import { ConfigurationError, InvalidArgumentError } from './errors.js';
import type { Fetch, FetchInit, RuntimeAbortSignal, RuntimeKey } from './runtime.js';
import { secretProblem } from './secret.js';

export interface TenantOpenPlatformOptions {
  /** Where the platform is, with a path prefix if it has one, without `/api/v1`. Default: `TOP_BASE_URL`. */
  baseUrl?: string | undefined;
  /** The credential id, together with `secret`. Default: `TOP_CLIENT_ID`. */
  clientId?: string | undefined;
  /**
   * The secret of the credential, together with `clientId`. Default: `TOP_SECRET`. A page of your own may give a key
   * instead, which cannot be read back: `crypto.subtle.importKey('raw', bytesOfTheSecret, { name: 'HMAC', hash: 'SHA-256' },
   * false, ['sign'])`.
   */
  secret?: string | RuntimeKey | undefined;
  /** How long one attempt may take, in milliseconds. Default: 20,000. */
  timeoutMs?: number | undefined;
  /** How long a whole call may take with all attempts, in milliseconds, in addition to `wait_seconds`. Default: 60,000. */
  deadlineMs?: number | undefined;
  /** How often a failed attempt is retried if that is safe; 0 for never. Default: 2. */
  maxRetries?: number | undefined;
  /**
   * Calls of `commands.create` and `commands.createAndWait` that begin within `withinMs` milliseconds, 0 to 1,000, share
   * a request. Each gets its own answer or error. Default: a request for each.
   */
  batch?: { withinMs: number } | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Receives the log lines. Default: `console`. */
  logger?: Logger | undefined;
  /**
   * Which lines are logged. Default: `TOP_LOG`; without it everything if a `logger` is given, otherwise only a warning
   * before the first retry of a client that has had no answer yet.
   */
  logLevel?: LogLevel | undefined;
  /** Called for every request, response, retry and failure. */
  hooks?: Hooks | undefined;
  /** Allows a browser, where anyone who opens the page can read the secret. Default: false. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

export interface CallSettings {
  signal: RuntimeAbortSignal | undefined;
  timeoutMs: number;
  deadlineMs: number;
  maxRetries: number;
  requestId: string | undefined;
  headers: Record<string, string>;
}

export interface Configuration {
  /** Without a slash at its end. */
  baseUrl: string;
  /** The platform's page on errors. */
  docUrl: string;
  clientId: string;
  secret: string | RuntimeKey;
  fetch: Fetch;
  /** Absent where a browser sends its own. */
  userAgent: string | undefined;
  observer: Observer;
  /** Absent if commands share no requests. */
  batchWithinMs: number | undefined;
  /** The settings of one call: its own take precedence over those of the client. */
  settle(options: RequestOptions): CallSettings;
}

/** The longest delay that a timer takes. */
export const MAX_TIMER_MS = 2_147_483_647;

/**
 * Checks everything that can be checked without a request, so that an error names the option instead of a later 401.
 */
export function configure(options: TenantOpenPlatformOptions): Configuration {
  const inBrowser = isBrowser();
  if (inBrowser && !options.dangerouslyAllowBrowser) {
    throw new ConfigurationError(
      'This looks like a browser, where everybody who opens the page can read the secret. Call the platform from a server, or set dangerouslyAllowBrowser where the page is yours alone.',
    );
  }
  if (!globalThis.crypto?.subtle) {
    throw new ConfigurationError('WebCrypto is missing: use Node 20 or later; in a browser, a page served over https.');
  }
  const { baseUrl: givenUrl, clientId, secret } = required(options);
  const baseUrl = checkedBaseUrl(givenUrl);
  const defaults = limits(options, { timeoutMs: 20_000, deadlineMs: 60_000, maxRetries: 2 }, ConfigurationError);
  return {
    baseUrl,
    docUrl: `${baseUrl}/docs/errors`,
    clientId: checkedClientId(clientId),
    secret: checkedSecret(secret),
    fetch: options.fetch ?? globalFetch,
    userAgent: inBrowser ? undefined : `tenant-open-platform-sdk/${version}`,
    batchWithinMs: options.batch && inRange('batch.withinMs', options.batch.withinMs, 0, 1_000, ConfigurationError),
    observer: createObserver(options.hooks ?? {}, options.logger ?? globalThis.console ?? {}, logLevelOf(options)),
    settle: (call) => {
      if (call.requestId !== undefined && !REQUEST_ID.test(call.requestId)) {
        throw new InvalidArgumentError('requestId must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -');
      }
      const { signal, requestId } = call;
      return {
        ...limits(call, defaults, InvalidArgumentError),
        signal,
        requestId,
        headers: checkedHeaders(call.headers),
      };
    },
  };
}

/** Looked up at each call, so that a test or a tracer may replace it after the client was created. */
const globalFetch: Fetch = (url: string, init: FetchInit) => globalThis.fetch(url, init);

function required(options: TenantOpenPlatformOptions) {
  if (!options.clientId !== !options.secret) {
    throw new ConfigurationError(
      'Give clientId and secret together, or neither, for TOP_CLIENT_ID and TOP_SECRET: a secret is never tried with the id of another credential.',
    );
  }
  const missing: string[] = [];
  const take = <Name extends 'baseUrl' | 'clientId' | 'secret'>(name: Name, variable: string) => {
    const value = options[name] || environment(variable);
    if (!value) missing.push(`${name} (or ${variable})`);
    return (value ?? '') as NonNullable<TenantOpenPlatformOptions[Name]>;
  };
  const values = {
    baseUrl: take('baseUrl', 'TOP_BASE_URL'),
    clientId: take('clientId', 'TOP_CLIENT_ID'),
    secret: take('secret', 'TOP_SECRET'),
  };
  if (missing.length > 0) throw new ConfigurationError(`Missing: ${missing.join(', ')}.`);
  return values;
}

const logLevelOf = ({ logLevel, logger }: TenantOpenPlatformOptions) =>
  logLevel ?? (environment('TOP_LOG') as LogLevel | undefined) ?? (logger && 'debug');

function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

function checkedBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ConfigurationError('baseUrl must be a whole URL such as https://platform.example.com');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ConfigurationError('baseUrl must begin with https:// (or http://).');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError('baseUrl must have no user, password, query or fragment.');
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith('/api/v1')) throw new ConfigurationError('baseUrl must end before /api/v1: the client adds it.');
  return url.origin + path;
}

function checkedClientId(clientId: string): string {
  if (CLIENT_ID.test(clientId)) return clientId;
  throw new ConfigurationError('clientId is malformed: 1 to 64 characters of A-Z a-z 0-9 . _ ~ -');
}

function checkedSecret(secret: string | RuntimeKey): string | RuntimeKey {
  const canSign = (key: { usages?: string[] }) => key.usages?.includes('sign');
  const problem =
    typeof secret === 'string' ? secretProblem(secret) : !canSign(secret) && 'must be text, or a CryptoKey that signs';
  if (problem) throw new ConfigurationError(`The secret ${problem}.`);
  return secret;
}

function inRange(name: string, value: number, min: number, max: number, Problem: new (message: string) => Error) {
  if (Number.isFinite(value) && value >= min && value <= max) return value;
  throw new Problem(`${name} must be a number from ${min} to ${max}.`);
}

type Limits = Pick<CallSettings, 'timeoutMs' | 'deadlineMs' | 'maxRetries'>;

function limits(
  given: { [Name in keyof Limits]?: number | undefined },
  defaults: Limits,
  Problem: new (message: string) => Error,
): Limits {
  const take = (name: keyof Limits, min: number, max: number) =>
    inRange(name, given[name] ?? defaults[name], min, max, Problem);
  return {
    timeoutMs: take('timeoutMs', 1, MAX_TIMER_MS),
    deadlineMs: take('deadlineMs', 1, MAX_TIMER_MS),
    maxRetries: take('maxRetries', 0, 100),
  };
}

/** A page or one of its workers; not Node, Bun, Deno or an edge worker. Only edge workers have WebSocketPair. */
function isBrowser(): boolean {
  const { window, importScripts, WebSocketPair } = globalThis as Record<string, unknown>;
  if (WebSocketPair) return false;
  return (window as { document?: unknown } | undefined)?.document !== undefined || typeof importScripts === 'function';
}
