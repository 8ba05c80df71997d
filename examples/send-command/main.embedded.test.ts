import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTenant, type Profile, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const { operator, reader } = await createTenant();

/** As `npm start` in this folder runs it: with the built SDK, like any user. */
async function run(environment: Record<string, string>): Promise<unknown> {
  const { PATH } = process.env;
  const started = promisify(execFile)(process.execPath, ['--import', 'tsx', 'main.ts'], {
    cwd: import.meta.dirname,
    env: { PATH, ...environment },
  });
  const { stdout } = await started;
  return JSON.parse(stdout);
}

const asEnvironment = ({ base_url, client_id, secret }: Profile) => ({
  TOP_BASE_URL: base_url,
  TOP_CLIENT_ID: client_id,
  TOP_SECRET: secret,
});

const sent = {
  vendor: 'vendor_a',
  device_id: 'ok-1',
  command_type: 'set_power',
  payload: { power: 'on' },
  status: 'SUCCEEDED',
  created_by_client_id: operator.client_id,
};

test('sends a command and waits for its outcome, configured by environment variables', async () => {
  expect(await run(asEnvironment(operator))).toMatchObject(sent);
});

test('sends a command and waits for its outcome, configured by a profile file', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'profile.json');
  writeFileSync(file, JSON.stringify(operator));
  expect(await run({ TOP_PROFILE_FILE: file })).toMatchObject(sent);
});

test('prints in one line that the profile is missing, and what to do', async () => {
  await expect(run({ TOP_PROFILE_FILE: '/nonexistent/demo.json' })).rejects.toMatchObject({
    code: 1,
    stderr:
      'There is no /nonexistent/demo.json. Start the platform (npm start), or set TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET.\n',
  });
});

test('prints a refusal of the platform in one line', async () => {
  await expect(run(asEnvironment(reader))).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^FORBIDDEN: commands.create: .*open:command:create.* \(request [^ ]+\)\n$/),
  });
});
