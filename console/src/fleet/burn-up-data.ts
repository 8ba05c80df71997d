import type { Shown } from './read-batch';

/** How many commands were accepted, had ended and had succeeded at each time, in Unix milliseconds. */
export type BurnUpData = [times: number[], accepted: number[], ended: number[], succeeded: number[]];

export function burnUpOf(commands: readonly Pick<Shown, 'accepted_at' | 'completed_at' | 'status'>[]): BurnUpData {
  const steps = commands.flatMap(({ accepted_at, completed_at, status }) => [
    { at: Date.parse(accepted_at), curve: 0 },
    ...(completed_at === null ? [] : [{ at: Date.parse(completed_at), curve: 1 }]),
    ...(completed_at === null || status !== 'SUCCEEDED' ? [] : [{ at: Date.parse(completed_at), curve: 2 }]),
  ]);
  steps.sort((one, other) => one.at - other.at);
  const data: BurnUpData = [[], [], [], []];
  const counts: [number, number, number] = [0, 0, 0];
  const [times, ...curves] = data;
  // It begins at nothing.
  if (steps[0]) push(steps[0].at - 1);
  for (const { at, curve } of steps) {
    counts[curve as 0 | 1 | 2] += 1;
    if (times.at(-1) === at) for (const index of [0, 1, 2] as const) curves[index][times.length - 1] = counts[index];
    else push(at);
  }
  return data;

  function push(at: number) {
    times.push(at);
    for (const index of [0, 1, 2] as const) curves[index].push(counts[index]);
  }
}
