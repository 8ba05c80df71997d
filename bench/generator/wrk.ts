import { execFile, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Profile } from '../sign.js';
import { temporaryPath } from '../temporary-path.js';
import { writeRequests } from './requests-file.js';

const script = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** More than any server here answers, including refusals. */
const REQUESTS_PER_SECOND = 20_000;
export const CONNECTIONS = 32;
const TIMEOUT_SECONDS = 30;

/** `refused` counts 503, `limited` 429. The quantiles cover all answers. */
export type Answers = {
  accepted: number;
  refused: number;
  limited: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** The CPU time of the generator itself. */
  cpuMs: number;
};

export type Load = {
  baseUrl: string;
  profile: Profile | readonly Profile[];
  seconds: number;
  timeoutSeconds?: number;
  connections?: number;
};

export function requireWrk(): void {
  if (spawnSync('wrk', ['-v']).error) throw new Error('wrk is not installed: apt-get install wrk');
}

/**
 * Signs the requests beforehand, so that signing takes no CPU from the measured server. The returned function sends
 * them, on 32 connections by default.
 */
export function prepareWrk({
  baseUrl,
  profile,
  seconds,
  timeoutSeconds,
  connections = CONNECTIONS,
}: Load): () => Promise<Answers> {
  const file = temporaryPath('requests');
  writeRequests(file, profile, { count: REQUESTS_PER_SECOND * seconds, timeoutSeconds });
  const options = ['-t', 1, '-c', connections, '-d', `${seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`, '-s', script];
  return async () => {
    const { stdout, stderr } = await promisify(execFile)('wrk', [...options, baseUrl, '--', file].map(String));
    rmSync(file);
    const { usedUp, failed, ...answers } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    if (failed > 0) throw new Error(`${failed} requests failed, neither 202 nor 429 nor 503. ${stderr.trim()}`);
    if (usedUp > 0) throw new Error(`More than ${REQUESTS_PER_SECOND} requests/s: sign more.`);
    return answers;
  };
}
