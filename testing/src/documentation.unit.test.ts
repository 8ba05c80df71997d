import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtInRoles, objectAndAction, scopes } from '@tenant-open-platform/contract';
import vectors from '@tenant-open-platform/contract/vectors.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { guides } from './documentation-blocks.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Created by running and building. */
const MADE = /^data\/|\/dist\/|^(platform-admin|demo|keyring|hand-over)\.json$/;
/** In backticks: a path from the root, or the name of a page or of settings there. */
const PATH = /`(\.?[a-z][\w.-]*(?:\/[\w.*-]+)+\/?|\.?[\w-]+\.(?:md|json|yaml))`/g;

/** The ids that GitHub gives the headings of a page. */
const headingsOf = (path: string) =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** For people who change the platform: they are not in the list of docs/README.md, so they are not served. */
const internals = readdirSync(join(root, 'docs/internals')).map((name) => `docs/internals/${name}`);

const atTheRoot = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'];

test.each([
  ['mechanisms', 25],
  ['promises', 25],
])('every test that the list of %s names exists', (page, atLeast) => {
  // What follows a file up to the next one, or to the end of the cell.
  const lists = [...read(`docs/internals/${page}.md`).matchAll(/`([^`]+\.test\.ts)`: (.*?)(?=; `| \|)/g)];
  const named = lists.flatMap(([, path = '', names = '']) =>
    names.split('; ').map((name) => ({ path, name: name.replace(' (not seen)', '') })),
  );
  expect(named.length).toBeGreaterThan(atLeast);
  for (const { path, name } of named) expect(read(path), name).toContain(name);
});

test('the list of mechanisms has at most 40 rows, each with a test and a figure', () => {
  const rows = [...read('docs/internals/mechanisms.md').matchAll(/^\| (?!part|-)(.*) \|$/gm)].map(
    ([, row = '']) => row,
  );
  expect(rows.length).toBeLessThanOrEqual(40);
  for (const row of rows) {
    const [part, off, tests, figure, ...more] = row.split(' | ');
    expect([part && off && figure && more.length, /`: \S/.test(tests ?? '')], row).toEqual([0, true]);
  }
});

test('every test that the page of the driver names exists', () => {
  const files = { unit: 'driver.unit', full: 'lost-connection.full' };
  const named = [...read('docs/internals/driver.md').matchAll(/\b(unit|full): (.*?)(?=;| \|)/g)];
  expect(named.length).toBeGreaterThan(20);
  for (const [, file, name = ''] of named) {
    expect(read(`server/src/foundation/database/${files[file as keyof typeof files]}.test.ts`)).toContain(name);
  }
});

describe.each([...atTheRoot, ...internals, ...guides])('%s', (page) => {
  const text = read(page).replace(/^```.*?^```$/gms, '');

  test('names only files and folders that exist', () => {
    const named = [...text.matchAll(PATH)].map(([, path]) => path as string).filter((path) => !MADE.test(path));
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('names only functions of the database that exist', () => {
    const named = text.match(/\b[a-z]+(?:_[a-z]+)*_v\d+\b/g) ?? [];
    expect(named.filter((name) => !existsSync(join(root, `server/drizzle/functions/${name}.sql`)))).toEqual([]);
  });

  test('links only to pages and headings that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)];
    const broken = links.filter(([, path = '', anchor]) => {
      const target = path ? normalize(join(dirname(page), path)) : page;
      return !existsSync(join(root, target)) || (anchor && !headingsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

test('docs/configuration.md names every variable of the configuration, with its default', () => {
  const declared = [...read('server/src/config.ts').matchAll(/^ {4}([A-Z_]+): ([\s\S]*?),\n(?= {4}\S| {2}\}\))/gm)];
  const variables = declared.map(([, name, schema]) => {
    const value = /\.(?:prefault|default)\('([^']*)'\)/.exec(schema as string)?.[1];
    return `| \`${name}\` | ${value === undefined ? '' : `\`${value}\` `}|`;
  });
  expect(variables.length).toBeGreaterThan(10);
  const page = read('docs/configuration.md');
  expect(variables.filter((row) => !page.includes(row))).toEqual([]);
  // TOP_… are streams.
  const documented = page.match(/^\| `(?!TOP_)[A-Z_]+` \|.*?\|/gm);
  expect(documented?.toSorted()).toEqual(variables.toSorted());
});

describe.each(guides)('%s', (page) => {
  const text = read(page);
  const fences = [...text.matchAll(/^(?<before>[^\n]*\n\n)? *```(?<language>sh|ts|python)(?<mark>[^\n]*)$/gm)];

  test('has code, and each block is run by a test or says why not', () => {
    const isRun = (mark = '', before = '') =>
      /^ (run|run-full|run-production|run-kubernetes|run-clients|not-run: .+|from examples\/\S+)$/.test(mark) ||
      /`examples\/(?:signing|generated-clients|vendor-adapter|sleeping-devices|firmware-update|ocpp-adapter)\/[\w./-]+`:\n/.test(
        before,
      );
    const unmarked = fences.filter(({ groups }) => !isRun(groups?.mark, groups?.before)).map(([fence]) => fence);
    expect(unmarked).toEqual([]);
    if (page !== 'docs/README.md') expect(text).toMatch(/^```(sh|ts|python) /m);
  });

  test('is in one group of docs/README.md, and begins with it', () => {
    if (page === 'docs/README.md') return;
    const groups = read('docs/README.md').split(/^## /m).slice(1);
    const named = groups.filter((group) => group.includes(`\n- [`) && group.includes(`](${basename(page)}):`));
    const [title = ''] = named.map((group) => group.split('\n', 1)[0] ?? '');
    const link = `[${title}](README.md#${title.toLowerCase().replaceAll(' ', '-')})`;
    expect(named).toHaveLength(1);
    expect(text.replace(/^<!--.*-->\n\n/, '')).toMatch(/^# .*\n\n\[/);
    expect(text.split('\n\n')).toContain(link);
  });

  test('shows lines of a program as they are in its file', () => {
    const shown = [...text.matchAll(/^```\w+ from (\S+)\n(.*?)^```$/gms)];
    expect(shown.filter(([, file = '', code = '']) => !read(file).includes(code)).map(([block]) => block)).toEqual([]);
  });

  test('fetches only programs that exist, each to the path that it has in the repository', () => {
    const fetched = [...text.matchAll(/-o '([^']+)' 'http:\/\/127\.0\.0\.1:8787\/([^'{]+)\{([^}]+)\}([^']*)'/g)];
    expect(fetched.length).toBe(text.split('--create-dirs').length - 1);
    for (const [, saved = '', before = '', names = '', after = ''] of fetched) {
      for (const name of names.split(',')) {
        expect(saved.replace('#1', name)).toBe(`${before}${name}${after}`);
        expect(existsSync(join(root, before + name + after)), name).toBe(true);
      }
    }
  });
});

test('the guides stay as short as they are: at most 30 pages and 27,490 words', () => {
  // Lists that are looked up, and guides to one thing that few readers need.
  const lookedUp = ['errors', 'configuration', 'signing-code'];
  const apart = [
    'configuration-as-files',
    'console',
    'firmware-updates',
    'kubernetes',
    'ocpp-devices',
    'polling-devices',
    'sleeping-devices',
    'upgrading',
  ];
  const counted = guides.filter((page) => ![...lookedUp, ...apart].includes(basename(page, '.md')));
  // The lines of a table are no words.
  const wordsOf = (page: string) =>
    read(page)
      .split(/\s+/)
      .filter((word) => /\w/.test(word)).length;
  const words = counted.reduce((sum, page) => sum + wordsOf(page), 0);
  expect(counted.length).toBeLessThanOrEqual(30);
  expect(words).toBeLessThanOrEqual(27_490);
});

test.each([
  ['docs/signing-code.md', /`(examples\/signing\/[\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms, 16],
  ['docs/clients.md', /`(examples\/generated-clients\/[\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms, 3],
  ['docs/first-device.md', /`(examples\/vendor-adapter\/[\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms, 1],
  ['docs/sleeping-devices.md', /`(examples\/sleeping-devices\/[\w./-]+)`:\n\n```ts\n(.*?)^```$/gms, 2],
  ['docs/firmware-updates.md', /`(examples\/firmware-update\/[\w./-]+)`:\n\n```ts\n(.*?)^```$/gms, 1],
  ['docs/ocpp-devices.md', /`(examples\/ocpp-adapter\/[\w./-]+)`:\n\n```ts\n(.*?)^```$/gms, 3],
] as const)('%s shows its examples as they are', (page, pattern, least) => {
  const shown = [...read(page).matchAll(pattern)];
  expect(shown.length).toBeGreaterThanOrEqual(least);
  for (const [, file, code] of shown) expect(code, file).toBe(read(file as string));
});

test('docs/access.md shows the scopes of each built-in role', () => {
  const roles = Object.keys(builtInRoles).reverse();
  const granted = new Set(Object.values(builtInRoles).flat());
  const objects = [
    ...new Set(scopes.filter((scope) => granted.has(scope)).map((scope) => objectAndAction(scope).object)),
  ];
  const actions = (role: string, object: string) =>
    (builtInRoles[role] ?? []).map(objectAndAction).flatMap((held) => (held.object === object ? [held.action] : []));
  const rows = [
    ['', ...roles.map((role) => `\`${role}\``)],
    ['---', ...roles.map(() => '---')],
    ...objects.map((object) => [`\`${object}\``, ...roles.map((role) => actions(role, object).join(', '))]),
  ];
  const table = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  expect(read('docs/access.md').replace(/ *\| */g, ' | ')).toContain(table.replace(/ *\| */g, ' | '));
});

test('docs/signing.md has test requests with the signatures of the vectors', () => {
  const rows = [...read('docs/signing.md').matchAll(/^\| `(\w+) (\S+)`.*\| `(v1=\w+)` \|$/gm)];
  const shown = rows.map(
    ([, method, target, x_api_signature]) =>
      vectors.accept.find((vector) => vector.x_api_signature === x_api_signature && vector.target === target)
        ?.method === method,
  );
  expect(shown).toEqual([true, true, true]);
  const { body_base64, body_sha256 } = vectors.accept.find(({ name }) => name === 'post-json') ?? {};
  expect(read('docs/signing.md')).toContain(`\n${Buffer.from(body_base64 ?? '', 'base64')}\n`);
  expect(read('docs/signing.md')).toContain(`\`${body_sha256}\``);
});

test('docs/signing-code.md shows the script of contract/postman.json', () => {
  const { exec } = JSON.parse(read('contract/postman.json')).event[0].script;
  expect(read('docs/signing-code.md')).toContain(`\`\`\`js\n${exec.join('\n')}\n\`\`\`\n`);
});
