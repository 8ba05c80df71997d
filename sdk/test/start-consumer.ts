import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const sdk = fileURLToPath(new URL('..', import.meta.url));
const pnpm = join(sdk, '../.tools/node_modules/.bin/pnpm');

/** An empty folder in which the packed SDK was installed, as a user does it. */
export async function startConsumer() {
  const folder = await mkdtemp(join(tmpdir(), 'top-consumer-'));
  await run(pnpm, ['pack', '--pack-destination', folder], { cwd: sdk });
  const tarball = join(folder, (await readdir(folder)).find((file) => file.endsWith('.tgz')) ?? '');
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  return {
    folder,
    tarball,
    /** Makes a package of this repository that recipes use one of the consumer. */
    async link(name: string, from: string): Promise<void> {
      const place = join(folder, 'node_modules', name);
      await mkdir(dirname(place), { recursive: true });
      await symlink(join(sdk, '..', from, 'node_modules', name), place);
    },
    /** Runs a program in the folder. What it printed is part of the failure. */
    async run(file: string, parameters: string[], env?: Record<string, string>): Promise<string> {
      try {
        return (await run(file, parameters, { cwd: folder, ...(env && { env: { PATH: process.env.PATH, ...env } }) }))
          .stdout;
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        throw new Error(`${file} ${parameters.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
      }
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
