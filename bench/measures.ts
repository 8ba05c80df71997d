import type { Answers } from './generator/wrk.js';
import type { Run } from './results.js';

export function answerMeasures(answers: Answers): Run {
  const { accepted, refused, limited, seconds } = answers;
  return {
    'accepted/s': accepted / seconds,
    'refused with 503 /s': refused / seconds,
    'limited with 429 /s': limited / seconds,
    'answer p50 ms': answers.p50Ms,
    'answer p99 ms': answers.p99Ms,
    'CPU ms per request, generator': answers.cpuMs / (accepted + refused + limited),
  };
}

type CpuMs = Record<string, number>;

/** CPU time by process between two instants. The generator is not included. */
export function cpuMeasures(before: CpuMs, after: CpuMs, commands: number): Run {
  const perCommand = Object.entries(after).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / commands] as const);
  return {
    'CPU ms per command, all processes': perCommand.reduce((sum, [, ms]) => sum + ms, 0),
    ...Object.fromEntries(perCommand.map(([name, ms]) => [`CPU ms per command, ${name}`, ms])),
  };
}
