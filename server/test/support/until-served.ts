import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '@tenant-open-platform/testing';

/** Repeats a call that the platform refuses with 503 and Retry-After, as clients do. The refused call had no effect. */
export async function untilServed<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const result = await call();
    const { status, headers } = (result ?? {}) as Partial<Answer>;
    const seconds = Number(headers?.['retry-after']);
    if (status !== 503 || !seconds) return result;
    await delay(seconds * 1_000);
  }
}
