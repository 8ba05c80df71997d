import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, type TestContext, TestRunner } from 'vitest';

/**
 * Cleans up at the end of the test that calls it, or of the file whose top level calls it: what began last ends first.
 * A test that runs at the same time as others gives its context. Vitest ignores calls in `beforeAll`.
 */
export function atEnd(cleanUp: () => unknown, context?: Pick<TestContext, 'onTestFinished'>): void {
  const end = async () => {
    await cleanUp();
  };
  if (context) context.onTestFinished(end);
  else if (TestRunner.getCurrentTest()) onTestFinished(end);
  else afterAll(end);
}

/** An empty folder. See `atEnd`. */
export function temporaryFolder(context?: Pick<TestContext, 'onTestFinished'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'top-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }), context);
  return folder;
}
