import type { ChildProcess } from 'node:child_process';

/** What a program has printed, once it matches. */
export function untilPrinted(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (pattern.test(output)) resolve(output);
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`It ended with ${code} before it printed ${pattern}:\n${output}`)));
  });
}
