import type { Context } from '../context.js';
import { messageLines } from '../output/message.js';
import { printable } from '../output/printable.js';

export type WrapFetch = (send: typeof fetch) => typeof fetch;

const NOTED_AFTER_MS = 3_000;
/** A log of a script shows what took long, not each slow answer. */
const NOTED_IN_SCRIPT_AFTER_MS = 10_000;
/** Clocks drift. The platform accepts minutes. */
const MINUTE_MS = 60_000;

const noteTo = ({ stderr }: Context, text: string) => stderr.write(`${messageLines(stderr, printable(text))}\n`);

/** Says once, after some seconds without any answer, that topctl is still trying. */
export function noteSilence(context: Context, { baseUrl, source }: { baseUrl: string; source: string }): WrapFetch {
  let timer: NodeJS.Timeout | undefined;
  const note = () =>
    noteTo(context, `No answer from ${baseUrl} (${source}) yet; topctl keeps trying. To find out why: topctl doctor`);
  return (send) => async (input, init) => {
    const url = String(input);
    // A large transfer to a store is silent, too.
    if (!url.startsWith(baseUrl)) return send(input, init);
    const waitMs = Number(new URL(url).searchParams.get('wait_seconds')) * 1000;
    const afterMs = context.stderr.isTTY ? NOTED_AFTER_MS : NOTED_IN_SCRIPT_AFTER_MS;
    timer ??= setTimeout(note, afterMs + waitMs).unref();
    const response = await send(input, init);
    clearTimeout(timer);
    timer = undefined;
    return response;
  };
}

/** Says once that the clock of this machine is wrong. The client corrects its signatures by itself. */
export function noteClock(context: Context): WrapFetch & { offsetMs: () => number } {
  let offsetMs = 0;
  const wrap: WrapFetch = (send) => async (input, init) => {
    const response = await send(input, init);
    if (response.status !== 401 || offsetMs !== 0) return response;
    const answer: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    const { code, metadata } = (answer ?? {}) as { code?: string; metadata?: { server_time?: string } };
    if (code !== 'CLOCK_SKEW') return response;
    offsetMs = Date.parse(metadata?.server_time ?? '') - Date.now() || 0;
    const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS);
    const side = offsetMs > 0 ? 'behind' : 'ahead of';
    noteTo(
      context,
      `The clock of this machine is ${minutes} minutes ${side} the platform's. topctl uses the platform's time; set the clock.`,
    );
    return response;
  };
  return Object.assign(wrap, { offsetMs: () => offsetMs });
}

/** --verbose: every attempt, its outcome, its duration and its request id. */
export function logAttempts(context: Context, baseUrl: string): WrapFetch {
  return (send) => async (input, init) => {
    const url = new URL(String(input));
    // The query of a presigned URL is a secret.
    const shown = url.href.startsWith(baseUrl) ? url.href.slice(baseUrl.length) : `${url.origin}${url.pathname}`;
    const requestId = new Headers(init?.headers).get('x-request-id');
    noteTo(context, `> ${init?.method ?? 'GET'} ${shown}${requestId ? ` (request id ${requestId})` : ''}`);
    const startedAt = performance.now();
    const took = () => `after ${Math.round(performance.now() - startedAt)} ms`;
    try {
      const response = await send(input, init);
      noteTo(context, `< ${response.status} ${took()}`);
      return response;
    } catch (error) {
      const { message, cause } = error as Error;
      noteTo(context, `< no answer ${took()}: ${cause instanceof Error ? cause.message : message}`);
      throw error;
    }
  };
}
