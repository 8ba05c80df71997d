import type { TransferProgress } from '@tenant-open-platform/sdk';
import type { Context } from '../context.js';

const WIDTH = 30;

/** Shows the progress of a transfer on stderr, if stderr is a terminal. `wipe` clears the line. */
export function progressBar({ stderr }: Context) {
  let drawn = '';
  const draw = (line: string) => {
    if (stderr.isTTY !== true || line === drawn) return;
    stderr.write(`\r\u001b[K${line}`);
    drawn = line;
  };
  return {
    show: ({ transferredBytes, totalBytes }: TransferProgress) => {
      if (totalBytes === null) return draw(inMegabytes(transferredBytes));
      const part = totalBytes === 0 ? 1 : transferredBytes / totalBytes;
      const bar = '█'.repeat(Math.floor(part * WIDTH)).padEnd(WIDTH, '░');
      draw(`${bar} ${String(Math.floor(part * 100)).padStart(3)} % of ${inMegabytes(totalBytes)}`);
    },
    wipe: () => draw(''),
  };
}

const inMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
