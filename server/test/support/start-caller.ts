import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isApiError, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { Profile } from '@tenant-open-platform/testing';

export type CalledCommand = { idempotencyKey: string; commandId: string; acceptedAtMs: number };

/** A request as the SDK sent it: sent again, it has the same bytes. */
export type SentRequest = {
  url: string;
  init: RequestInit;
  status: number | null;
  /** The code with which the platform has refused it, or NO_ANSWER, and when. */
  refusal: { code: string; atMs: number } | null;
};

const CALL_AGAIN_AFTER_MS = 1_000;
const SEND_AGAIN_AFTER_MS = 100;

/** Sends the same bytes again until they are answered by more than 503, and returns status and code. */
export async function sendAgain({ url, init }: SentRequest): Promise<string> {
  for (;;) {
    // The signal of the call may be aborted.
    const answer = await fetch(url, { ...init, signal: null }).catch(() => null);
    if (answer && answer.status !== 503) return `${answer.status} ${((await answer.json()) as { code?: string }).code}`;
    await delay(SEND_AGAIN_AFTER_MS);
  }
}

/**
 * A user of the SDK who creates commands at a steady rate. If a call fails although the SDK has retried it, the user
 * calls again with the same idempotency key.
 */
export function startCaller(
  profile: Profile,
  { perSecond, timeoutSeconds = () => 300 }: { perSecond: number; timeoutSeconds?: () => number },
) {
  let retries = 0;
  let failures = 0;
  /** The codes with which the platform has refused attempts. */
  const refusals: string[] = [];
  const note = (error: unknown) => void (isApiError(error) && refusals.push(error.code));
  const sent: SentRequest[] = [];
  const client = new TenantOpenPlatform({
    baseUrl: profile.base_url,
    clientId: profile.client_id,
    secret: profile.secret,
    hooks: {
      onRetry({ error }) {
        retries++;
        note(error);
      },
      onError: ({ error }) => note(error),
    },
    async fetch(url, init) {
      const request: SentRequest = { url, init: init as RequestInit, status: null, refusal: null };
      sent.push(request);
      const refuse = (code: string) => {
        request.refusal = { code, atMs: Date.now() };
      };
      try {
        const response = await fetch(url, init as RequestInit);
        request.status = response.status;
        if (!response.ok) refuse(((await response.clone().json()) as { code: string }).code);
        return response;
      } catch (error) {
        refuse('NO_ANSWER');
        throw error;
      }
    },
  });
  const accepted: CalledCommand[] = [];
  let hasGivenUp = false;
  const underWay = new Set<Promise<void>>();

  async function create(): Promise<void> {
    const idempotencyKey = randomUUID();
    const command = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {} };
    while (!hasGivenUp) {
      try {
        const body = { ...command, idempotency_key: idempotencyKey, timeout_seconds: timeoutSeconds() };
        const { command_id } = await client.commands.create(body);
        accepted.push({ idempotencyKey, commandId: command_id, acceptedAtMs: Date.now() });
        return;
      } catch {
        failures += 1;
        await delay(CALL_AGAIN_AFTER_MS);
      }
    }
  }

  const calling = setInterval(() => {
    const call = create().finally(() => underWay.delete(call));
    underWay.add(call);
  }, 1_000 / perSecond);
  return {
    accepted: () => accepted.length,
    acceptedCommands: (): readonly CalledCommand[] => accepted,
    /** Every request so far, retries included. */
    sent: () => [...sent],
    /** Resolves when every call is accepted. */
    async stop() {
      clearInterval(calling);
      await Promise.all(underWay);
      return { accepted, retries, failures, refusals };
    },
    /** Calls no more, also if calls are not accepted yet. */
    giveUp() {
      clearInterval(calling);
      hasGivenUp = true;
    },
  };
}
