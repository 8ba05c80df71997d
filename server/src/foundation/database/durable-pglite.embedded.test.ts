import fs, { cpSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { temporaryFolder } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openPGlite } from './durable-pglite.js';
import { KEEP_FOLDER } from './embedded.js';

const PREPARED = path.resolve(import.meta.dirname, '../../../dist/embedded-database');
const COMMITS = 20;

/**
 * Keeps in `disk` what a power cut would leave of each file: what it contained when it was last written through.
 * Returns a function that ends it.
 */
function keepWhatIsDurable(files: string, disk: string) {
  const { fsyncSync } = fs;
  fs.fsyncSync = (descriptor) => {
    fsyncSync(descriptor);
    const file = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
    cpSync(file, path.join(disk, path.relative(files, file)));
  };
  syncBuiltinESMExports();
  const end = () => {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  };
  onTestFinished(end);
  return end;
}

test('what the embedded database has committed survives a power cut', async () => {
  const folder = temporaryFolder();
  const [files, disk] = [path.join(folder, 'files'), path.join(folder, 'disk')];
  cpSync(PREPARED, files, { recursive: true, filter: (file) => path.basename(file) !== KEEP_FOLDER });
  const before = await openPGlite(files);
  await before.exec('create table numbers (number int); checkpoint');
  cpSync(files, disk, { recursive: true });
  const cutPower = keepWhatIsDurable(files, disk);
  for (let number = 1; number <= COMMITS; number++) await before.query('insert into numbers values ($1)', [number]);
  cutPower();
  const after = await openPGlite(disk);
  const { rows } = await after.query('select count(*)::int as count, max(number) as last from numbers');
  expect(rows).toEqual([{ count: COMMITS, last: COMMITS }]);
  await Promise.all([before.close(), after.close()]);
});
