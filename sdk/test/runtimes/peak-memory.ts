import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const kilobytes = (pid: number, field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** How much the resident memory of processes grows from now on, at its highest, in bytes. The kernel counts it. */
export function watchMemory(pids: number[]): () => number {
  const before = pids.map((pid) => {
    // Begins the count anew.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return kilobytes(pid, 'VmRSS');
  });
  return () => pids.reduce((sum, pid, index) => sum + kilobytes(pid, 'VmHWM') - (before[index] ?? 0), 0) * 1024;
}

/** The children of a process, and theirs. */
export function processesBelow(parent: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return parentOf(pid) === parent;
      } catch {
        return false;
      }
    });
  return children.flatMap((pid) => [pid, ...processesBelow(pid)]);
}

export const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');

const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
