import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf } from './documentation-blocks.js';

const schema = fileURLToPath(new URL('../../cli/configuration.schema.json', import.meta.url));
const ajv = new Ajv2020({ strictRequired: false });
addFormats.default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')));

test('an editor accepts the files of docs/configuration-as-files.md, and refuses an unknown field in them', () => {
  const [{ code } = { code: '' }] = blocksOf('docs/configuration-as-files.md');
  const files = [...code.matchAll(/<<'END'\n(.*?)^END$/gms)].map(([, text = '']) => text);
  expect(files).toHaveLength(2);
  for (const text of files) {
    expect(validate(parse(text)), ajv.errorsText(validate.errors)).toBe(true);
    expect(validate(parse(text.replace(/(vendor|tenant_id):/, 'nmae: x\n    $1:')))).toBe(false);
  }
});
