import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { platform } from './platform.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const TERMINAL = fileURLToPath(new URL('terminal.py', import.meta.url));
const FENCE = /^```(sh|ts|python) (run|run-full|run-production|run-kubernetes)\n(.*?)^```$/gms;

export type Block = {
  language: 'sh' | 'ts' | 'python';
  marked: 'run' | 'run-full' | 'run-production' | 'run-kubernetes';
  code: string;
};

/**
 * The code blocks of a page that are marked for execution: `run` needs only Node, the others also Debian's programs. A
 * line that says its exit code must end with it.
 */
export const blocksOf = (page: string): Block[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(FENCE)].map(([, language, marked, code = '']) => {
    const checked = code.replace(/ # exit code (\d+)$/gm, ' || test $? = $1');
    return { language, marked, code: checked } as Block;
  });

export const guides = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

const asShell = ({ language, code }: Block): string => {
  if (language === 'sh') {
    // A busy machine may not have sent a command after five seconds.
    const patient = code.replaceAll('--timeout-seconds 5 ', '--timeout-seconds 15 ');
    return patient.replaceAll('http://127.0.0.1:8787/', `${platform().demo.base_url}/`);
  }
  const program = language === 'ts' ? 'node --input-type=module' : 'python3 -';
  return `${program} <<'END_OF_BLOCK'\n${code}END_OF_BLOCK\n`;
};

/** The programs as docs/README.md says. The tests of the README run the real npx, which takes up to a second. */
const PROGRAMS = `
npx() { "./node_modules/.bin/$@"; }
topctl() { ./node_modules/.bin/topctl "$@"; }
tenant-open-platform() { node ${join(root, 'server/dist/main.js')} "$@"; }`;

/**
 * Pastes the blocks of a page with this mark from top to bottom, and returns their output. The last line shows that no
 * block ended the shell before the blocks below it ran.
 */
export async function runPage(
  page: string,
  { marked = 'run', before = '', env = {}, terminal = false }: PageOptions = {},
): Promise<string> {
  const blocks = blocksOf(page).filter((block) => block.marked === marked);
  const code = [PROGRAMS, before, ...blocks.map(asShell), 'echo "END OF THE PAGE"'].join('\n');
  const printed = await runPasted({ language: 'sh', marked, code }, { env, terminal });
  if (!/END OF THE PAGE\r?\n$/.test(printed)) throw new Error(`${page} ended early:\n${printed}`);
  return printed;
}

type PageOptions = { marked?: Block['marked']; before?: string; env?: Record<string, string>; terminal?: boolean };

/** `texts` is undefined for a new page that no test knows yet. */
export function expectInOrder(printed: string, texts: string[] | undefined): void {
  if (!texts) throw new Error(`Name in the test what the page prints:\n${printed}`);
  let from = 0;
  for (const text of texts) {
    expect(printed.slice(from)).toContain(text);
    from = printed.indexOf(text, from) + text.length;
  }
}

/** The JSON values that a page prints, each on lines of its own. */
export const jsonIn = (printed: string) =>
  [...printed.matchAll(/^(?:[{[]\n[\s\S]*?^[}\]]|[{[][^\n]*[}\]])$/gm)].map(([text]) => JSON.parse(text));

/**
 * Runs a block as pasted into the folder in which the platform had its first start, which has saved the profiles `admin`
 * and `demo`. The earlier blocks were pasted too, so TOP_* are set. Returns its standard output, or what a terminal of 80
 * columns gets.
 */
export async function runPasted(
  block: Block,
  { shell = 'bash', env = {}, terminal = false }: { shell?: string } & Omit<PageOptions, 'marked' | 'before'> = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'top-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // A page that fetches its programs needs no clone. It finds the packages that it installs.
  if (!block.code.includes('--create-dirs')) symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  const packages: Record<string, string> = {
    '.bin': 'node_modules/.bin',
    '@tenant-open-platform/cli': 'cli',
    '@tenant-open-platform/sdk': 'sdk',
    undici: 'sdk/node_modules/undici',
    ...Object.fromEntries(
      ['@nats-io', 'mqtt', 'tsx'].map((name) => [name, `examples/mqtt-adapter/node_modules/${name}`]),
    ),
  };
  mkdirSync(join(folder, 'node_modules/@tenant-open-platform'), { recursive: true });
  for (const [name, path] of Object.entries(packages))
    symlinkSync(join(root, path), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  mkdirSync(join(folder, 'data'));
  const { admin, demo } = platform();
  const XDG_CONFIG_HOME = join(folder, 'config');
  mkdirSync(join(XDG_CONFIG_HOME, 'topctl'), { recursive: true });
  for (const [file, content] of Object.entries({
    'data/platform-admin.json': admin,
    'data/demo.json': demo,
    'config/topctl/profiles.json': { profiles: { admin, demo } },
  })) {
    writeFileSync(join(folder, file), JSON.stringify(content, null, 2), { mode: 0o600 });
  }
  const { PATH, HOME } = process.env;
  const { base_url, client_id, secret } = demo;
  const argv = [...(terminal ? ['python3', TERMINAL] : []), shell, '-euc', asShell(block)];
  const { stdout } = await promisify(execFile)(argv[0] as string, argv.slice(1), {
    cwd: folder,
    maxBuffer: Number.POSITIVE_INFINITY,
    env: {
      PATH,
      HOME,
      XDG_CONFIG_HOME,
      TOP_BASE_URL: base_url,
      TOP_CLIENT_ID: client_id,
      TOP_SECRET: secret,
      ...env,
    },
  });
  return stdout;
}
