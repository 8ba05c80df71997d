import { readdirSync, readFileSync } from 'node:fs';

/** The unit of /proc/<pid>/stat: Linux reports 100 ticks a second to programs on every current architecture. */
const MS_PER_TICK = 10;

/** CPU time of a process and all its descendants, including ended ones. */
export function cpuMsOf(pid: number): number {
  // Own time and the time of ended children: fields 14 to 17.
  return MS_PER_TICK * sum(treeOf(pid).map((each) => sum(statOf(each).slice(11, 15).map(Number))));
}

/** CPU time of each process of a tree, without ended ones. */
export function cpuMsByProcess(pid: number): Map<number, number> {
  return new Map(treeOf(pid).map((each) => [each, MS_PER_TICK * sum(statOf(each).slice(11, 13).map(Number))]));
}

/** CPU time of the whole machine, without idle time and waiting for disks. */
export function machineCpuMs(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return MS_PER_TICK * sum([user, nice, system, irq, softIrq, steal]);
}

/** Resident memory of a process and all its descendants, current and peak. */
export function residentMiB(pid: number): { now: number; highest: number } {
  const tree = treeOf(pid).map((each) => read(each, 'status'));
  const total = (name: string) => sum(tree.map((status) => Number(status.match(`${name}:\\s+(\\d+) kB`)?.[1] ?? 0)));
  return { now: total('VmRSS') / 1024, highest: total('VmHWM') / 1024 };
}

function treeOf(pid: number): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const parents = new Map(all.map((each) => [each, Number(statOf(each)[1])]));
  const isInTree = (each: number | undefined): boolean =>
    each === pid || (each !== undefined && each > 0 && isInTree(parents.get(each)));
  return all.filter(isInTree);
}

/** The fields of /proc/<pid>/stat from the third on, the state: the second is a name, which may contain spaces. */
const statOf = (pid: number): string[] => read(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];

/** Empty for a process that has ended meanwhile: its time counts with its parent. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);
