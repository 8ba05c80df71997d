import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fork } from '../node-process.js';
import { temporaryPath } from '../temporary-path.js';
import type { PacedAnswers } from './paced-sender.js';
import { writeRequests } from './requests-file.js';
import type { Answers, Load } from './wrk.js';

const sender = fileURLToPath(new URL('paced-sender.ts', import.meta.url));

/** NaN if no request was refused. */
type Refused = { count: number; p99Ms: number; p99AfterSendingMs: number; withoutRetryAfter: number };

export type Paced = Omit<Answers, 'refused'> & { refused: Refused; unsent: number };

/** Sends at a fixed rate. wrk has no such option, so the sender runs in Node and costs more CPU: see `cpuMs`. */
export function prepareAtRate({ baseUrl, profile, seconds, timeoutSeconds }: Load, rate: number): () => Promise<Paced> {
  const file = temporaryPath('requests');
  writeRequests(file, profile, { count: Math.round(rate * seconds), timeoutSeconds });
  return async () => {
    const { message } = fork(sender, { args: [file, baseUrl, String(rate), String(seconds)] });
    const answers = (await message.finally(() => rmSync(file))) as PacedAnswers;
    const { accepted, refused, limited } = answers.latencies;
    const all = [...accepted, ...refused, ...limited];
    return {
      accepted: accepted.length,
      refused: {
        count: refused.length,
        p99Ms: quantile(refused, 0.99),
        p99AfterSendingMs: quantile(answers.refusedAfterSending, 0.99),
        withoutRetryAfter: answers.refusedWithoutRetryAfter,
      },
      limited: limited.length,
      unsent: answers.unsent,
      seconds: answers.seconds,
      p50Ms: quantile(all, 0.5),
      p99Ms: quantile(all, 0.99),
      cpuMs: answers.cpuMs,
    };
  };
}

function quantile(values: number[], q: number): number {
  const sorted = values.sort((a, b) => a - b);
  return sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN;
}
