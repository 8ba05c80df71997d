import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd, createTenant, platform, temporaryFolder } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { binary, builtTopctl } from '../../test/built-topctl.js';
import { environmentOf, topctl, type World } from '../../test/topctl.js';

const { tenant_id, operator } = await createTenant();
const world = { env: environmentOf(operator) };
const ofAdministrator = { env: environmentOf(platform().admin) };

/** Other tests add vendors of their own. */
const first = expect.arrayContaining(['vendor_a', 'vendor_b']);
const LONG = 120_000;
const patient = { timeout: 60_000, interval: 200 };

/** The words that Tab offers instead of the last one, without their descriptions. */
async function offered(line: string, at: World = {}): Promise<string[]> {
  const { exitCode, stdout, stderr } = await topctl(['complete', '--', ...line.split(' ')], at);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.pop()).toMatch(/^:[04]$/);
  return lines.map((each) => each.split('\t')[0] as string);
}

describe('Tab offers', () => {
  test.each([
    ['credentials ro', ['rotate']],
    ['commands create --time', ['--timeout-seconds', '--timeout']],
    ['commands list --status SUC', ['SUCCEEDED']],
    ['commands list --status EXPIRED,FAI', ['EXPIRED,FAILED']],
    ['tenants update acme --status D', ['DISABLED']],
    ['--tenant acme bus-principals create --principal-type S', ['SERVICE']],
    ['bus-principals create --principal-type=S', ['SERVICE']],
    ['-o y', ['yaml']],
    ['commands list -o y', ['yaml']],
    ['commands create --idempotency-key ', []],
  ])('what the program knows: %s', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  // Pressed again while a busy machine takes longer than Tab waits.
  const offers = (line: string, at: World) => expect.poll(() => offered(line, at), patient);

  test('what the platform knows: vendors, command types, roles and tenants', { timeout: LONG }, async () => {
    await offers('commands create --vendor v', world).toEqual(first);
    await offers('commands create --vendor vendor_a --command-type re', world).toContain('reboot');
    await offers('--tenant ', world).toEqual([tenant_id]);
    const bind = `role-bindings create --tenant ${tenant_id} --role integration_o`;
    await offers(bind, ofAdministrator).toEqual(['integration_operator']);
    await offers('credentials list --tenant de', ofAdministrator).toContain('demo');
    await offers('tenants get de', ofAdministrator).toContain('demo');
  });

  test('the whole catalog to those who administer it', { timeout: LONG }, async () => {
    await offers('vendors put vendor_', ofAdministrator).toContain('vendor_b');
    await offers('command-types put vendor_a reb', ofAdministrator).toContain('reboot');
    const principal = 'bus-principals create --vendors vendor_b,vendor_';
    await offers(principal, ofAdministrator).toContain('vendor_b,vendor_a');
  });

  test('the saved profiles, and asks the platform with the one that is typed', { timeout: LONG }, async () => {
    const cwd = temporaryFolder();
    await writeFile(join(cwd, 'profile.json'), JSON.stringify(operator), { mode: 0o600 });
    await topctl(['login', '--profile-file', 'profile.json', '--profile', 'acme'], { cwd });
    expect(await offered('--profile ', { cwd })).toEqual(['acme']);
    expect(await offered('commands list --profile a', { cwd })).toEqual(['acme']);
    expect(await offered('profile use ', { cwd })).toEqual(['acme']);
    expect(await offered('access explain x --operation events.', { cwd })).toEqual(['events.list']);
    await offers('--profile acme commands create --vendor vendor_', { cwd }).toEqual(first);
  });

  test('no word that a shell would execute', async () => {
    const cwd = temporaryFolder();
    for (const name of ['fine', '$(touch stolen)', 'a;b']) {
      const login = ['login', '--profile', name, '--base-url', operator.base_url, '--client-id', operator.client_id];
      expect(await topctl(login, { cwd, stdin: operator.secret })).toMatchObject({ exitCode: 0 });
    }
    expect(await offered('--profile ', { cwd })).toEqual(['fine']);
  });
});

describe('Tab is silent', () => {
  test('without a profile, with a broken one, and while nobody listens', async () => {
    const cwd = temporaryFolder();
    await writeFile(join(cwd, 'broken.json'), '{');
    for (const flags of ['', '--profile nobody ', '--profile-file broken.json ', '--base-url http://127.0.0.1:2 ']) {
      expect(await offered(`${flags}commands create --vendor `, { cwd })).toEqual([]);
    }
    const refused = { env: { ...environmentOf(operator), TOP_BASE_URL: 'http://127.0.0.1:2' } };
    expect(await offered('commands create --vendor ', refused)).toEqual([]);
  });

  test('and soon gives up on a platform that does not answer', { timeout: LONG }, async () => {
    const silent = createServer(() => {});
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    atEnd(() => {
      silent.close();
      silent.closeAllConnections();
    });
    const TOP_BASE_URL = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const env = { ...environmentOf(operator), TOP_BASE_URL };
    const startedAt = performance.now();
    for (const line of ['commands create --vendor ', '--tenant ', 'role-bindings create --role ']) {
      expect(await builtTopctl(['complete', '--', ...line.split(' ')], { env })).toEqual({
        exitCode: 0,
        stdout: ':4\n',
        stderr: '',
      });
    }
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });
});

test('bash completes a vendor with the script that topctl prints', { timeout: LONG }, async () => {
  const typed = (line: string) => `
    _get_comp_words_by_ref() { cur=\${COMP_WORDS[COMP_CWORD]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD; }
    topctl() { "${process.execPath}" "${binary}" "$@"; }
    source <(topctl completion bash)
    COMP_WORDS=(${line} '') COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    compopt() { :; }
    __topctl_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: process.env.PATH, ...world.env };
  const pressTab = async () => {
    const { stdout } = await promisify(execFile)('bash', ['-c', typed('topctl commands create --vendor')], { env });
    return stdout.trim().split('\n').sort();
  };
  await expect.poll(pressTab, patient).toEqual(first);
});
