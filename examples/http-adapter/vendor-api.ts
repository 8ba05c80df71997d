import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallLimit,
  type CommandContext,
  type CommandMessage,
  Rejected,
  Unreachable,
} from '@tenant-open-platform/sdk/adapter';

/** What the vendor's API answers, and what its webhooks contain. The idempotency key is the command_id. */
export interface Action {
  idempotency_key: string;
  state: 'running' | 'done' | 'failed' | 'refused' | 'offline';
  result?: object;
  error?: { code: string; message: string };
}

/** An action in any other state, also in one that the adapter does not know, may still run. */
export const isEnd = ({ state }: Action) => ['done', 'failed', 'refused', 'offline'].includes(state);

export interface VendorApi {
  url: string;
  /** By tenant. With a key of its own, a tenant reaches no device of another tenant. */
  keys: ReadonlyMap<string, string>;
  /** How many calls the API takes at once. A slow account of one tenant leaves places to the others. */
  limit: CallLimit;
  attemptMs?: number;
}

/** 409: the API still works on an earlier attempt. */
const RETRIED = new Set([409, 429, 500, 502, 503, 504]);
/** With these the vendor has not begun. With the others it may have. */
const NOT_BEGUN = new Set([429, 503]);
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 30_000;
/** A call that begins later could be ended by the deadline: then it is unknown whether the vendor has begun. */
const BEFORE_DEADLINE_MS = 2_000;

/** Repeats the call with the same idempotency key until the vendor answers: the device acts once. */
export async function startAction(
  api: VendorApi,
  command: CommandMessage,
  context: Pick<CommandContext, 'redelivered' | 'remainingMs'>,
  signal: AbortSignal,
) {
  const key = api.keys.get(command.tenant_id);
  if (!key) throw new Rejected('UNKNOWN_DEVICE', 'The tenant has no account at the vendor.');
  let mayHaveBegun = context.redelivered;
  for (let attempt = 0; ; attempt += 1) {
    const { status, body, retryAfter } = await call(api, key, command, context.remainingMs, signal);
    if (status < 300) return body;
    if (status === 404) throw new Rejected('UNKNOWN_DEVICE', 'The tenant has no device of this id.');
    if (status === 422) throw new Rejected('NOT_POSSIBLE', body.error?.message ?? 'The device cannot do this.');
    if (!RETRIED.has(status)) {
      // Such as 401: the tenant cannot help. The log gets this error, the tenant does not.
      const cause = new Error(`The vendor's API answered ${status}: ${JSON.stringify(body)}`);
      // Any error that is no outcome says that the outcome is unknown.
      if (mayHaveBegun || status >= 500) throw cause;
      throw new Unreachable('VENDOR_REFUSED', 'The service of the vendor refuses the adapter.', { cause });
    }

    mayHaveBegun ||= !NOT_BEGUN.has(status);
    const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt);
    const waitMs = Math.max(longest * (0.5 + Math.random() / 2), msOf(retryAfter));
    if (waitMs < context.remainingMs - BEFORE_DEADLINE_MS) await delay(waitMs, undefined, { signal });
    else if (!mayHaveBegun) throw new Unreachable('VENDOR_UNAVAILABLE', 'The service of the vendor is not available.');
    // A webhook may still tell the outcome.
    else return aborted(signal);
  }
}

type Answer = { status: number; body: Action; retryAfter: string };

async function call(
  api: VendorApi,
  key: string,
  command: CommandMessage,
  remainingMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const { tenant_id, command_id, device_id, command_type, payload } = command;
  const inTime = timeout(Math.max(0, Math.floor(remainingMs - BEFORE_DEADLINE_MS)));
  let isCalled = false;
  async function post(): Promise<Answer> {
    signal.throwIfAborted();
    isCalled = true;
    const answer = await fetch(`${api.url}/actions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': command_id },
      // Not in the path, where a device `..` would be another address.
      body: JSON.stringify({ device_id, action: command_type, parameters: payload }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout(api.attemptMs ?? 10_000)]),
    });
    // A proxy in front of the API may refuse with HTML.
    const body = await (answer.ok ? answer.json() : answer.json().catch(() => null));
    return { status: answer.status, body: body ?? {}, retryAfter: answer.headers.get('retry-after') ?? '' } as Answer;
  }
  try {
    return await api.limit(tenant_id, post, inTime);
  } catch (error) {
    signal.throwIfAborted();
    const { code = '' } = ((error as Error).cause ?? {}) as { code?: string };
    return { status: !isCalled || NOT_CONNECTED.has(code) ? 503 : 504, body: {} as Action, retryAfter: '' };
  }
}

/** Node before 22.16 forgets a timeout without a listener: https://github.com/nodejs/node/issues/57736 */
function timeout(ms: number): AbortSignal {
  const signal = AbortSignal.timeout(ms);
  signal.addEventListener('abort', () => {}, { once: true });
  return signal;
}

/** Retry-After is a number of seconds or a date. Date.parse would read 5.5 as a day in May 2001. */
const msOf = (retryAfter: string) =>
  (/^[\d.]+$/.test(retryAfter) ? Math.ceil(Number(retryAfter) * 1_000) : Date.parse(retryAfter) - Date.now()) || 0;

/** Rejects when the signal is aborted. */
export const aborted = (signal: AbortSignal) => delay<never>(2 ** 31 - 1, undefined, { signal });
