import type { ErrorDetail } from '@tenant-open-platform/contract';
import { canonicalJson, locationOf } from '@tenant-open-platform/contract/strict-json';
import { Ajv2020, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import type { Refuse } from '../../platform/operation/api-error.js';
import { formats, metaSchema, problem, rulesBrokenIn, type Schema } from './payload-schema-rules.js';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 16;
const MAX_DETAILS = 20;

/** Throws PAYLOAD_SCHEMA_INVALID. Also called before a schema is stored: each one compiles on every node. */
export function compilePayloadSchema(schema: Schema, refuse: Refuse<'PAYLOAD_SCHEMA_INVALID'>): ValidateFunction {
  const refuseAny = (problems: ErrorDetail[]) => {
    if (problems.length === 0) return;
    const details = problems.slice(0, MAX_DETAILS);
    const reasons = details.map(({ location, message }) => `${location} ${message}`).join('; ');
    throw refuse('PAYLOAD_SCHEMA_INVALID', { message: `The payload schema is not valid: ${reasons}.`, details });
  };
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES || depthOf(schema) > MAX_DEPTH)
    refuseAny([problem('', 'TOO_LARGE', `has more than ${MAX_BYTES} bytes of JSON or ${MAX_DEPTH} levels`)]);
  if (!metaSchema(schema)) refuseAny(validationDetails('body/payload_schema', metaSchema.errors));
  refuseAny(rulesBrokenIn(schema));
  try {
    return newCompiler().compile(schema);
  } catch (error) {
    refuseAny([problem('', 'NOT_COMPILABLE', (error as Error).message.replace(/^strict mode: /, ''))]);
    throw error;
  }
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** The errors of Ajv for a part of a request. */
export const validationDetails = (part: string, errors: ErrorObject[] | null | undefined): ErrorDetail[] =>
  (errors ?? []).slice(0, MAX_DETAILS).map(({ instancePath, keyword, message, params }) => {
    const property = 'additionalProperty' in params ? ` (${locationOf('', [params.additionalProperty]).slice(1)})` : '';
    const [, ...steps] = instancePath.split('/');
    const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    return {
      location: locationOf(part, path),
      code: keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
      message: `${message ?? 'is not valid'}${property}`,
    };
  });

/** RE2 takes linear time. An ECMAScript pattern such as (a+)+$ can run forever. Ajv needs `code` only to write a file. */
const linearPattern = Object.assign((pattern: string) => RE2JS.compile(pattern), { code: 'linearPattern' });

const notMultiple = ({ schema }: { schema: unknown }) => `must be multiple of ${schema}`;

/**
 * These replace Ajv's own keywords. Ajv's equality calls `toString` and `valueOf` of the compared values, which a
 * payload may have as properties. Its uniqueItems compares every pair, a second for the items of one payload.
 */
const keywords: FuncKeywordDefinition[] = [
  { keyword: 'const', compile: (value: unknown) => isOneOf([value]), error: { message: 'must be equal to constant' } },
  { keyword: 'enum', compile: isOneOf, error: { message: 'must be equal to one of the allowed values' } },
  { keyword: 'uniqueItems', type: 'array', compile: areUnique, error: { message: 'must NOT have duplicate items' } },
  { keyword: 'multipleOf', type: 'number', compile: isMultiple, error: { message: notMultiple } },
];

function isMultiple(divisor: number) {
  if (Number.isInteger(divisor)) return (value: number) => value % divisor === 0;
  return (value: number) => Math.abs(value - divisor * Math.round(value / divisor)) <= Math.abs(value) * 2 ** -50;
}

function areUnique(isAsked: boolean) {
  return (items: unknown[]) => !isAsked || new Set(items.map(canonicalJson)).size === items.length;
}

function isOneOf(values: unknown[]) {
  const expected = new Set(values);
  const texts = new Set(values.map(canonicalJson));
  return (value: unknown) =>
    typeof value === 'object' && value !== null ? texts.has(canonicalJson(value)) : expected.has(value);
}

/** A new instance for every schema, because two schemas may have the same $id. Without the slow meta-schema. */
function newCompiler(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    strictSchema: true,
    allowMatchingProperties: true,
    meta: false,
    validateSchema: false,
    logger: false,
    // Otherwise {} would have the property `constructor`.
    ownProperties: true,
    // These options repeat code for every reference: compiling 16 KiB could take minutes and gigabytes.
    inlineRefs: false,
    code: { optimize: false, regExp: linearPattern },
  });
  for (const { keyword } of keywords) ajv.removeKeyword(String(keyword));
  return addFormats.default(ajv, formats).addVocabulary(keywords);
}
