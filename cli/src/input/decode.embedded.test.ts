import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTenant, platform, temporaryFolder } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';
import { caFile } from '../../test/world-behind-a-proxy.js';
import { textIn } from './decode.js';

const { admin, operator } = await createTenant();
const env = environmentOf(operator);

const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();
const encodings: [string, (text: string) => Buffer][] = [
  ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16, little-endian', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16, big-endian', (text) => swapped(`\ufeff${text}`)],
];
const unnamed: [string, Buffer, string][] = [
  ['UTF-16 without a mark', Buffer.from('{"a":1}', 'utf16le'), 'is UTF-16 without a byte order mark'],
  ['big-endian without a mark', swapped('{"a":1}'), 'is UTF-16 without a byte order mark'],
  ['half a character', Buffer.from('\ufeff{}', 'utf16le').subarray(0, 5), 'is broken UTF-16'],
  ['half a pair', Buffer.from('\ufeff"\ud83d"', 'utf16le'), 'is broken UTF-16'],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]), 'is UTF-32'],
  ['Latin-1', Buffer.from('{"a":"é"}', 'latin1'), 'is not UTF-8'],
];

describe.each(encodings)('%s is accepted', (_, encode) => {
  const folder = async (files: Record<string, string>) => {
    const cwd = temporaryFolder();
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), encode(text), { mode: 0o600 });
    return cwd;
  };
  const command = { vendor: 'vendor_a', device_id: 'offline-é😀', command_type: 'reboot', payload: {} };
  const create = ['commands', 'create', '--vendor', 'vendor_a', '--device-id', 'offline-1', '--command-type', 'reboot'];

  test('in a payload', async () => {
    const cwd = await folder({ 'payload.json': '{}' });
    const argv = [...create, '--payload', '@payload.json'];
    expect(await topctl(argv, { env, cwd })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('in a fleet, whose text stays the same', async () => {
    const cwd = await folder({ 'fleet.ndjson': `${JSON.stringify(command)}\r\n${JSON.stringify(command)}\r\n` });
    const { exitCode, stdout } = await topctl(['commands', 'create-many', '--from', 'fleet.ndjson'], { env, cwd });
    expect(exitCode).toBe(0);
    const devices = stdout.trim().split('\n');
    expect(devices.map((line) => JSON.parse(line).device_id)).toEqual([command.device_id, command.device_id]);
  });

  test('in a profile, and in saved profiles', async () => {
    const { demo } = platform();
    const cwd = await folder({ 'demo.json': JSON.stringify(demo) });
    const whoami = ['--profile-file', 'demo.json', 'whoami', '-o', 'id'];
    expect(await topctl(whoami, { cwd })).toEqual({ exitCode: 0, stdout: `${demo.client_id}\n`, stderr: '' });
  });

  test('in the file of a secret', async () => {
    const cwd = await folder({ secret: 'S3RVER\r\n' });
    const access = [
      '--endpoint',
      'http://127.0.0.1:2',
      '--region',
      'r',
      '--access-key-id',
      'A',
      '--force-path-style',
      'true',
    ];
    const argv = ['object-credentials', 'create', '--name', 'S', ...access, '--secret-access-key-file', 'secret'];
    expect(await topctl(argv, { env: environmentOf(admin), cwd })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('in the certificates of a CA', async () => {
    const cwd = await folder({ 'ca.pem': readFileSync(caFile, 'utf8') });
    expect(await topctl(['whoami'], { env: { ...env, TOP_CA_FILE: 'ca.pem' }, cwd })).toMatchObject({ exitCode: 0 });
  });

  test('as text without the mark', () => {
    expect(textIn(encode('é😀'), 'file')).toBe('é😀');
  });
});

test.each(unnamed)('%s is named, with the file', async (_, bytes, problem) => {
  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'file'), bytes, { mode: 0o600 });
  const { exitCode, stderr } = await topctl(['--profile-file', 'file', 'whoami'], { cwd });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(`file ${problem}`) });
});
