import type { TransferProgress } from '@tenant-open-platform/sdk';
import type { Context } from '../context.js';

const WIDTH = 30;

/** Shows progress on stderr, if stderr is a terminal. `wipe` clears the line. */
export function progressBar({ stderr }: Context) {
  let drawn = '';
  const draw = (line: string) => {
    if (stderr.isTTY !== true || line === drawn) return;
    stderr.write(`\r\u001b[K${line}`);
    drawn = line;
  };
  return {
    show: ({ transferredBytes, totalBytes }: TransferProgress) => {
      if (totalBytes === null) draw(inMegabytes(transferredBytes));
      else draw(`${barOf(transferredBytes, totalBytes)} of ${inMegabytes(totalBytes)}`);
    },
    /** How many of the commands are accepted, or final. */
    count: (done: number, total: number, state: string) =>
      draw(`${barOf(done, total)}  ${grouped(done)} of ${grouped(total)} ${state}`),
    wipe: () => draw(''),
  };
}

function barOf(done: number, total: number): string {
  const part = total === 0 ? 1 : done / total;
  return `${'█'.repeat(Math.floor(part * WIDTH)).padEnd(WIDTH, '░')} ${String(Math.floor(part * 100)).padStart(3)} %`;
}

const grouped = (count: number) => count.toLocaleString('en');

const inMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
