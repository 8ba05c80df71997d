import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fork } from '../node-process.js';
import { temporaryPath } from '../temporary-path.js';
import type { PacedAnswers } from './paced-sender.js';
import { writeRequests } from './requests-file.js';
import type { Answers, Load } from './wrk.js';

const sender = fileURLToPath(new URL('paced-sender.ts', import.meta.url));

export type Paced = Answers & { refusedP99Ms: number; refusedWithoutRetryAfter: number };

/** Sends at a fixed rate. wrk has no such option, so the sender runs in Node and costs more CPU: see `cpuMs`. */
export function prepareAtRate({ baseUrl, profile, seconds, timeoutSeconds }: Load, rate: number): () => Promise<Paced> {
  const file = temporaryPath('requests');
  writeRequests(file, profile, { count: Math.round(rate * seconds), timeoutSeconds });
  return async () => {
    const { message } = fork(sender, { args: [file, baseUrl, String(rate)] });
    const { latencies, ...rest } = (await message.finally(() => rmSync(file))) as PacedAnswers;
    const { accepted, refused, limited } = latencies;
    const all = [...accepted, ...refused, ...limited];
    return {
      accepted: accepted.length,
      refused: refused.length,
      limited: limited.length,
      p50Ms: quantile(all, 0.5),
      p99Ms: quantile(all, 0.99),
      refusedP99Ms: quantile(refused, 0.99),
      ...rest,
    };
  };
}

function quantile(values: number[], q: number): number {
  const sorted = values.sort((a, b) => a - b);
  return sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN;
}
