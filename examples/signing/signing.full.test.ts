import { execFileSync } from 'node:child_process';
import vectors from '@tenant-open-platform/contract/vectors.json' with { type: 'json' };
import { createTenant, type Profile } from '@tenant-open-platform/testing';
import { expectMismatchIsSaid } from '@tenant-open-platform/testing/mismatch';
import { describe, expect, test } from 'vitest';

const { operator } = await createTenant();

type Program = { file: string; args?: string[]; input?: Buffer };

function run({ file, args = [], input }: Program, environment: Record<string, string>): string {
  const { PATH } = process.env;
  return execFileSync(file, args, {
    cwd: import.meta.dirname,
    env: { PATH, PYTHONDONTWRITEBYTECODE: '1', ...environment },
    input,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

const asEnvironment = ({ base_url, client_id, secret }: Pick<Profile, 'base_url' | 'client_id' | 'secret'>) => ({
  TOP_BASE_URL: base_url,
  TOP_CLIENT_ID: client_id,
  TOP_SECRET: secret,
});

const programs: Record<string, Program> = {
  sh: { file: 'sh', args: ['shell/send-command.sh'] },
  bash: { file: 'bash', args: ['shell/send-command.sh'] },
  'Python with its standard library': { file: 'python3', args: ['python/send_command.py'] },
};

describe.each(Object.entries(programs))('%s', (_name, program) => {
  test('creates a command and waits for its outcome', () => {
    expect(JSON.parse(run(program, asEnvironment(operator)))).toMatchObject({
      vendor: 'vendor_a',
      device_id: 'ok-1',
      command_type: 'reboot',
      status: 'SUCCEEDED',
      created_by_client_id: operator.client_id,
    });
  });

  test('creates a new command on every run', () => {
    const [first, second] = [1, 2].map(() => JSON.parse(run(program, asEnvironment(operator))).command_id);
    expect(first).not.toBe(second);
  });

  test('says that its key belongs to another command, and exits with 1', () =>
    expectMismatchIsSaid([program.file, ...(program.args ?? [])], { cwd: import.meta.dirname }));

  test('shows the refusal and exits with 1', () => {
    const wrong = { ...asEnvironment(operator), TOP_SECRET: 'wrong' };
    expect(() => run(program, wrong)).toThrow(expect.objectContaining({ status: 1, stdout: '' }));
    expect(() => run(program, wrong)).toThrow(/"code":"UNAUTHENTICATED".*"string_to_sign"/);
  });
});

test.each(vectors.accept)('bash signs the vector $name', (vector) => {
  const { secret, client_id, method, target, timestamp, nonce, body_base64 } = vector;
  const program = {
    file: 'bash',
    args: ['shell/send-command.sh', 'sign', method, target, timestamp, nonce],
    input: Buffer.from(body_base64, 'base64'),
  };
  const printed = run(program, asEnvironment({ base_url: 'none', client_id, secret }));
  expect(printed).toBe(`${vector.string_to_sign}\n${vector.x_api_signature}\n`);
});

/** Signs the vectors from standard input, all in one process. */
const signAll = `
import base64, json, sys
sys.path.insert(0, 'python')
from send_command import signature, string_to_sign
for vector in json.load(sys.stdin):
    fields = [vector[name] for name in ("method", "target", "client_id", "timestamp", "nonce")]
    text = string_to_sign(*fields, base64.b64decode(vector["body_base64"]))
    print(json.dumps([text, signature(vector["secret"], text)]))
`;

test('Python signs every vector', () => {
  const input = Buffer.from(JSON.stringify(vectors.accept));
  const lines = run({ file: 'python3', args: ['-c', signAll], input }, {})
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    vectors.accept.map(({ string_to_sign, x_api_signature }) => [string_to_sign, x_api_signature]),
  );
});

/** Another program that uses `send`: it prints what it gets from an answer and from a refusal. */
const sendTwice = `
import json, sys
sys.path.insert(0, 'python')
from send_command import Refusal, send
status, headers, value = send("GET", "/api/v1/open/me")
print(json.dumps([status, headers["content-type"], value["client_id"]]))
try:
    send("GET", "/api/v1/open/downlink/commands/none")
except Refusal as refusal:
    print(json.dumps([refusal.status, refusal.headers["content-type"], json.loads(refusal.body)["code"]]))
`;

test('send of Python returns status, headers and value, and raises a refusal with status, headers and body', () => {
  const lines = run({ file: 'python3', args: ['-c', sendTwice] }, asEnvironment(operator))
    .trimEnd()
    .split('\n');
  const json = expect.stringMatching(/^application\/json/);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    [200, json, operator.client_id],
    [404, json, 'NOT_FOUND'],
  ]);
});
