import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const paths: string[] = [];
process.once('exit', () => {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
});

/** The path of a file or folder that is removed with the process. Nothing is created. */
export function temporaryPath(name: string): string {
  const path = join(tmpdir(), `top-bench-${name}-${randomUUID()}`);
  paths.push(path);
  return path;
}
