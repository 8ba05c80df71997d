import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { allOperations } from '@tenant-open-platform/contract';
import { createCallerOfEverything, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const CASES = Number(process.env.SCHEMATHESIS_CASES ?? 500);
/** A pattern of names, for a part of the operations: all of them take hours on a busy machine. */
const OPERATIONS = new RegExp(process.env.SCHEMATHESIS_OPERATIONS ?? '');
const SEED = process.env.SCHEMATHESIS_SEED ?? '1';

/** Rules between fields and the checks of URLs, keys and cursors are prose in the document, so valid data may be refused. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'missing_required_header',
  'allow_header_conformance',
];

/** The program, installed from PyPI when it is first needed. */
function install(): string {
  const requirements = join(import.meta.dirname, 'requirements.txt');
  const [version] = readFileSync(requirements, 'utf8').trim().split('==').slice(1);
  const environment = join(import.meta.dirname, '../node_modules/.schemathesis', version as string);
  const program = join(environment, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  try {
    execFileSync('python3', ['-m', 'venv', '--clear', environment], { stdio: 'pipe' });
    const pip = ['-m', 'pip', 'install', '--quiet', '--requirement', requirements];
    execFileSync(join(environment, 'bin', 'python'), pip, { stdio: 'pipe' });
  } catch (error) {
    rmSync(environment, { recursive: true, force: true });
    throw new Error('Schemathesis needs python3 with venv (Debian: python3-venv) and PyPI.', { cause: error });
  }
  return program;
}

type Line = { ScenarioFinished?: { recorder: { label: string; cases?: object } } };

/** How many requests the report holds for each operation. */
function casesByOperation(folder: string): Map<string, number> {
  const cases = new Map<string, number>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ndjson'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').trim().split('\n')) {
      const recorder = (JSON.parse(line) as Line).ScenarioFinished?.recorder;
      if (recorder)
        cases.set(recorder.label, (cases.get(recorder.label) ?? 0) + Object.keys(recorder.cases ?? {}).length);
    }
  }
  return cases;
}

test(`answers ${CASES} generated requests to every operation as the document says, and never with 5xx`, {
  timeout: 3 * 60 * 60_000,
}, async () => {
  const { base_url, client_id, secret } = await createCallerOfEverything();
  const folder = temporaryFolder();
  const document = join(import.meta.dirname, '../../contract/openapi.json');
  const parameters = ['run', document, '--url', base_url, '--checks', CHECKS.join(), '--warnings', 'off'];
  // It stops earlier where it draws nothing new: with 40 examples, the least was 33 requests.
  const bounds = ['--max-examples', String(2 * CASES), '--seed', SEED, '--request-timeout', '60', '--no-shrink'];
  const part = ['--include-operation-id-regex', OPERATIONS.source];
  const report = ['--continue-on-failure', '--no-color', '--report', 'ndjson', '--report-dir', folder];
  const { stdout } = await promisify(execFile)(install(), [...parameters, ...bounds, ...part, ...report], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
      TOP_CLIENT_ID: client_id,
      TOP_SECRET: secret,
    },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error) => Promise.reject(new Error(`Schemathesis found:\n${error.stdout}\n${error.stderr}`)));
  console.log(stdout.slice(stdout.indexOf('= SUMMARY =')));
  const sent = casesByOperation(folder);
  console.log([...sent].map(([label, count]) => `${count}\t${label}`).join('\n'));
  const tested = allOperations.filter(({ name }) => OPERATIONS.test(name));
  const labels = tested.map(({ route }) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(labels.filter((label) => (sent.get(label) ?? 0) < CASES)).toEqual([]);
});
