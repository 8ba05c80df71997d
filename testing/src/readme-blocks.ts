import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { platform } from './platform.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FENCE = /^```(sh|ts) (run|run-full)\n(.*?)^```$/gms;

export type Block = { language: 'sh' | 'ts'; marked: 'run' | 'run-full'; code: string };

/** The code blocks of a page that are marked for execution: `run` needs only Node, `run-full` also curl and openssl. */
export const blocksOf = (page: string): Block[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(FENCE)].map(
    ([, language, marked, code]) => ({ language, marked, code }) as Block,
  );

/**
 * Runs a block as pasted at the root of a repository after the first start of the platform. The earlier blocks were
 * pasted too, so TOP_* are set. Returns its standard output.
 */
export async function runPasted({ language, code }: Block, shell = 'bash'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'top-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['node_modules', 'examples']) symlinkSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, 'data'));
  for (const [file, profile] of Object.entries({
    'platform-admin.json': platform().admin,
    'demo.json': platform().demo,
  })) {
    writeFileSync(join(folder, 'data', file), JSON.stringify(profile, null, 2), { mode: 0o600 });
  }
  const { PATH, HOME } = process.env;
  const { base_url, client_id, secret } = platform().demo;
  const program =
    language === 'sh'
      ? { file: shell, args: ['-euc', code], cwd: folder }
      : {
          file: process.execPath,
          args: ['--input-type=module', '--eval', code],
          cwd: join(folder, 'examples/send-command'),
        };
  const { stdout } = await promisify(execFile)(program.file, program.args, {
    cwd: program.cwd,
    env: {
      PATH,
      HOME,
      TOP_BASE_URL: base_url,
      TOP_CLIENT_ID: client_id,
      TOP_SECRET: secret,
    },
  });
  return stdout;
}
