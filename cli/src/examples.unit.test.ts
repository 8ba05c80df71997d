import { EventEmitter } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { allOperations } from '@tenant-open-platform/contract';
import document from '@tenant-open-platform/contract/openapi.json' with { type: 'json' };
import { temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { commandPaths } from '../test/complete-help.js';
import { topctl, unusedSecret } from '../test/topctl.js';

type Described = { operationId: string; responses: Record<string, { content: Record<string, { example: object }> }> };

const described = Object.values(document.paths).flatMap((methods) => Object.values(methods) as Described[]);

/** Words as a shell reads them. The examples quote by single quotes alone. */
const wordsOf = (line: string) =>
  [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replace(/'([^']*)'/g, '$1').replaceAll("\\'", "'"),
  );

const profile = { base_url: 'http://127.0.0.1:1', tenant_id: 'acme', client_id: 'acme-backend', secret: unusedSecret };
const files: Record<string, string> = {
  'config/topctl/profiles.json': JSON.stringify({ profiles: { default: profile, admin: profile } }),
  'data/platform-admin.json': JSON.stringify(profile),
  'secret.txt': unusedSecret,
  'secret_access_key.txt': 'KEY',
  'pump-7.bin': 'firmware',
  'platform/vendors.yaml': 'vendors: [{ vendor: vendor_a, enabled: true }]',
  'platform/tenants/acme.yaml': 'tenants: [{ tenant_id: acme, name: Acme }]',
  'commands.ndjson': JSON.stringify({
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: 'k',
  }),
  'command.json': JSON.stringify({
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: 'k',
  }),
};

/** Answers a request that the contract accepts with the example of its operation, and refuses every other. */
function platformOfExamples(signals: EventEmitter): { fetch: typeof fetch; refused: string[] } {
  const refused: string[] = [];
  let waits = 0;
  const answer = (method: string, url: URL, body: unknown): object | undefined => {
    const operation = allOperations.find(
      ({ route }) =>
        route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(url.pathname),
    );
    if (!operation) return undefined;
    const { route, name } = operation;
    const query = Object.fromEntries(url.searchParams);
    for (const [schema, value] of [
      ['body' in route ? route.body : undefined, body],
      [route.query, query],
    ] as [z.ZodType | undefined, unknown][]) {
      const result = schema?.safeParse?.(value);
      if (result?.error) refused.push(`${name}: ${result.error.message}`);
    }
    const responses = described.find(({ operationId }) => operationId === name)?.responses ?? {};
    const status = Object.keys(responses).find((code) => code.startsWith('2')) ?? '';
    const example = responses[status]?.content['application/json']?.example;
    // A list that is followed ends by Ctrl-C.
    if (Number(query.wait_seconds) > 0 && name.endsWith('.list') && waits++ > 0) signals.emit('SIGINT');
    if (name === 'auditEvents.list') setTimeout(() => signals.emit('SIGINT'));
    if (name === 'commands.get') return { ...example, status: 'SUCCEEDED', completed_at: '2026-01-31T09:30:01.000Z' };
    if (name === 'objects.presign') {
      const { operation } = body as { operation: string };
      return { ...example, operation, method: operation === 'UPLOAD' ? 'PUT' : 'GET' };
    }
    // The event log always has a cursor, and ends with an empty page.
    if (name === 'events.list') return { ...example, next_cursor: 'end', ...(query.cursor === 'end' && { items: [] }) };
    return example && !Array.isArray(example) && 'items' in example ? { ...example, next_cursor: null } : example;
  };
  return {
    refused,
    fetch: async (input, init) => {
      const url = new URL(String(input));
      if (url.hostname !== '127.0.0.1') return new Response('x', { headers: { ETag: '"e"', 'Content-Length': '1' } });
      if (url.pathname === '/console') return new Response(null, { status: 404 });
      if (url.pathname === '/readyz')
        return Response.json({ status: 'ready' }, { headers: { Date: new Date().toUTCString() } });
      const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      const found = answer(init?.method ?? 'GET', url, body);
      if (!found) refused.push(`${init?.method} ${url.pathname}`);
      return Response.json(found ?? {});
    },
  };
}

async function directoryWithFiles(): Promise<string> {
  const cwd = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text, { mode: 0o600 });
  }
  return cwd;
}

const ENDLESS = ['events tail', 'device-requests follow', 'audit-events tail'];

test.each(commandPaths().map((path) => path.join(' ')))('every example in the help of topctl %s runs', async (path) => {
  const { stdout: help } = await topctl([...path.split(' '), '--help']);
  const [options = '', section = ''] = help.split(/\nExamples?:\n/);
  const examples = section
    .replace(/ \\\n +/g, ' ')
    .split('\n')
    .filter((line) => line.startsWith('  topctl '));
  expect(examples).not.toEqual([]);
  expect(options.split('\n').filter((line) => line.length > 80 && !line.startsWith('Usage: '))).toEqual([]);
  for (const example of examples) {
    const cwd = await directoryWithFiles();
    const signals = new EventEmitter();
    const { fetch, refused } = platformOfExamples(signals);
    const [command = '', file] = example.split(' < ');
    const argv = [...wordsOf(command).slice(1), '--yes'];
    const outcome = await topctl(argv, { cwd, fetch, signals, stdin: files[file ?? ''] ?? '' });
    expect({ example, refused, ...outcome }).toMatchObject({
      refused: [],
      exitCode: ENDLESS.includes(path) || example.endsWith(' --watch') ? 130 : 0,
    });
  }
});
