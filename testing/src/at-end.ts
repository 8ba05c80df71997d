import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
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
export function temporaryFolder(context?: Pick<TestContext, 'onTestFinished'>, inside = tmpdir()): string {
  const folder = mkdtempSync(join(inside, 'top-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }), context);
  return folder;
}

/** Of Linux: files in memory. */
const MEMORY = '/dev/shm';
/** What is free there must hold the databases of all workers, 40 MB each, many times. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Where embedded databases belong: they wait for the disk at each commit, which took a sixth of the time of the quick
 * tests. No test ends the power.
 */
export function placeOfDatabases(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** An empty DATA_DIR. See `atEnd`. */
export const databaseFolder = (): string => temporaryFolder(undefined, placeOfDatabases());
