import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('a second npm start or npm test installs nothing', async () => {
  const program = `
    import { whatIsMissing } from './scripts/prepare.mjs';
    process.stdout.write(String(whatIsMissing().install));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
  expect(stdout).toBe('false');
});
