import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

/**
 * Cleans up at the end of the test that calls it, or of the file whose top level calls it: what began last ends first.
 * Vitest ignores it in a hook, and cannot tell tests apart that run at the same time.
 */
export function atEnd(cleanUp: () => unknown): void {
  const end = async () => {
    await cleanUp();
  };
  if (TestRunner.getCurrentTest()) onTestFinished(end);
  else afterAll(end);
}

/** An empty folder. See `atEnd`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'top-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
