import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from '../foundation/api-error.js';
import { compilePayloadSchema } from './payload-schema.js';

const LIBRARIES = ['NJsonSchema', 'NJsonSchema.NewtonsoftJson', 'NJsonSchema.Annotations', 'Newtonsoft.Json'];
/** NJsonSchema needs them too. The others of the package are parts of .NET that Mono has itself. */
const NEEDED = ['Namotion.Reflection', 'Memory', 'Buffers', 'Numerics.Vectors', 'Runtime.CompilerServices.Unsafe'];
const sources = join(import.meta.dirname, '../../test/support/generated-schemas');

type Schema = Record<string, unknown>;
type Case = [name: string, schema: Schema, samples: unknown[], verdicts: boolean[] | string];

let folder: string;
let cases: Case[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'top-generated-schemas-'));
  const run = (program: string, parameters: string[], env = {}) =>
    execFileSync(program, parameters, {
      cwd: folder,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: 'pipe',
      maxBuffer: 64 * 1024 * 1024,
    });
  for (const file of ['package.json', 'package-lock.json', 'generate.mjs']) {
    copyFileSync(join(sources, file), join(folder, file));
  }
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']);
  const settings = JSON.parse(readFileSync(join(packages(), 'zigbee2mqtt/dist/util/settings.schema.json'), 'utf8'));
  writeFileSync(
    join(folder, 'more.json'),
    JSON.stringify([...njsonschema(run), ['zigbee2mqtt', settings], ...partsOf(settings)]),
  );
  cases = JSON.parse(run(process.execPath, ['generate.mjs', 'more.json']));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Run = (program: string, parameters: string[], env?: object) => string;

const packages = () => join(folder, 'node_modules');

/** The package nswag has its libraries. Mono runs those for the .NET Framework. */
function njsonschema(run: Run): [string, Schema, unknown[]][] {
  const from = join(packages(), 'nswag/bin/binaries/Win');
  const libraries = join(folder, 'libraries');
  run('mkdir', [libraries]);
  const needed = NEEDED.map((name) => (name.startsWith('Namotion') ? name : `System.${name}`));
  for (const name of [...LIBRARIES, ...needed]) copyFileSync(join(from, `${name}.dll`), join(libraries, `${name}.dll`));
  const references = LIBRARIES.map((name) => `-r:${join(libraries, name)}.dll`);
  const program = join(folder, 'Generate.exe');
  const framework = ['-r:System.ComponentModel.DataAnnotations', '-r:Facades/netstandard.dll'];
  run('mcs', [`-out:${program}`, ...references, ...framework, join(sources, 'Generate.cs')]);
  const printed = run('mono', [program], { MONO_PATH: libraries }).trim().split('\n');
  return printed.map((line) => {
    const [kind = '', schema = '', samples = '[]'] = line.split('\t');
    return [`NJsonSchema ${kind}`, JSON.parse(schema), JSON.parse(samples)];
  });
}

/** Each setting of zigbee2mqtt alone: together they are larger than a payload schema may be. */
const partsOf = ({ properties, definitions }: Record<string, Schema>): [string, Schema][] =>
  Object.entries(properties ?? {}).map(([name, v]) => [
    `zigbee2mqtt ${name}`,
    { $schema: 'http://json-schema.org/draft-07/schema#', properties: { v }, ...(definitions && { definitions }) },
  ]);

/** Null and the sentence if the platform refuses the schema. */
async function compiled(schema: Schema) {
  try {
    const faultsOf = await compilePayloadSchema(schema, (code, options) => new ApiError(code, options));
    return { isValid: (payload: unknown) => faultsOf(payload, '').length === 0, refusal: '' };
  } catch (error) {
    if (error instanceof ApiError) return { isValid: null, refusal: error.message };
    throw error;
  }
}

/** Those that are refused, by their names, and what the sentence says. */
const REFUSED: [name: RegExp, sentence: RegExp][] = [
  // Beside nearly all of these, zod writes a pattern that says the same: the format can go.
  [
    /^zod .* (base64|nanoid|cuid|ulid|ends|includes|cidr|jwt|emoji|e164)$/,
    /write a pattern instead, or name it x-format/,
  ],
  [/^zod .* (duration|hostname)$/, /Write it without look-ahead.* or remove it beside a format/],
  [/^zod .* tree$/, /write out as many levels as payloads have/],
  // They say draft 2019-09, or nothing, and mean OpenAPI 3.0.
  [
    /^zod-to-json-schema jsonSchema2019-09 /,
    /\$schema must be one of .*|prefixItems, or name draft 7|in place of true/,
  ],
  [/^zod-to-json-schema openApi3 (between|tuple|tupleAndMore)$/, /in place of true|prefixItems, or name draft 7/],
  [/^zod-to-json-schema openApi3 nullable/, /list "null" in type/],
  [/^quicktype sample digits$/, /write a pattern instead, or name it x-format/],
  [/^quicktype typescript /, /without %.*copy a schema from elsewhere into \$defs/],
  [/^NJsonSchema \w+ Profile$/, /Id\/format is not a format .* write a pattern instead, or name it x-format/],
  [/^zigbee2mqtt$/, /leave out descriptions, or put what repeats into \$defs/],
];

test('takes what generators make as it is, or says what to write instead', async () => {
  const seen = new Set<RegExp>();
  const wrong: string[] = [];
  for (const [name, schema] of cases) {
    const { refusal } = await compiled(schema);
    const [known, sentence] = REFUSED.find(([names]) => names.test(name)) ?? [];
    if (known) seen.add(known);
    if (sentence ? !sentence.test(refusal) : refusal) wrong.push(`${name}: ${refusal || 'is taken'}`);
  }
  expect(wrong).toEqual([]);
  expect(seen.size).toBe(REFUSED.length);
  expect(cases.length).toBeGreaterThan(200);
});

test('agrees with ajv about samples of what it takes', async () => {
  const wrong: object[] = [];
  let verdicts = 0;
  for (const [name, schema, samples, right] of cases) {
    const { isValid } = await compiled(schema);
    if (!isValid) continue;
    if (typeof right === 'string') wrong.push({ name, right });
    else
      for (const [index, sample] of samples.entries()) {
        verdicts++;
        // As binary numbers, 0.3 / 0.1 is no integer: the platform takes it for one, as people do.
        if (/ step$/.test(name) && right[index] === false) continue;
        if (isValid(sample) !== right[index]) wrong.push({ name, sample, right: right[index] });
      }
  }
  expect(wrong).toEqual([]);
  expect(verdicts).toBeGreaterThan(10_000);
});
