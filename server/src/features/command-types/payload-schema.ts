import type { ErrorDetail } from '@tenant-open-platform/contract';
import { locationOf } from '@tenant-open-platform/contract/strict-json';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Refuse } from '../../platform/operation/api-error.js';
import {
  DIALECT,
  linearPattern,
  metaSchema,
  problem,
  rulesBrokenIn,
  type Schema,
  withFormats,
} from './payload-schema-rules.js';
import { vocabulary } from './payload-schema-vocabulary.js';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 16;
const MAX_DETAILS = 20;

/** Throws PAYLOAD_SCHEMA_INVALID. Also called before a schema is stored: each one compiles on every node. */
export function compilePayloadSchema(schema: Schema, refuse: Refuse<'PAYLOAD_SCHEMA_INVALID'>): ValidateFunction {
  for (const problemsOf of [sizeProblems, dialectProblems, rulesBrokenIn]) refuseAny(refuse, problemsOf(schema));
  try {
    return newCompiler().compile(schema);
  } catch (error) {
    refuseAny(refuse, [problem('', 'NOT_COMPILABLE', (error as Error).message.replace(/^strict mode: /, ''))]);
    throw error;
  }
}

function refuseAny(refuse: Refuse<'PAYLOAD_SCHEMA_INVALID'>, problems: ErrorDetail[]): void {
  if (problems.length === 0) return;
  const details = problems.slice(0, MAX_DETAILS);
  const reasons = details.map(({ location, message }) => `${location} ${message}`).join('; ');
  throw refuse('PAYLOAD_SCHEMA_INVALID', { message: `The payload schema is not valid: ${reasons}.`, details });
}

function sizeProblems(schema: object): ErrorDetail[] {
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES) {
    return [problem('', 'TOO_LARGE', `is larger than ${MAX_BYTES} bytes of JSON`)];
  }
  return depthOf(schema) > MAX_DEPTH ? [problem('', 'TOO_DEEP', `is nested deeper than ${MAX_DEPTH} levels`)] : [];
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

function dialectProblems(schema: Schema): ErrorDetail[] {
  if (![undefined, DIALECT].includes(schema.$schema as string | undefined)) {
    return [problem('/$schema', 'UNKNOWN_DIALECT', `must be ${DIALECT}`)];
  }
  if (metaSchema.validateSchema(schema) === true) return [];
  return validationDetails('body/payload_schema', metaSchema.errors);
}

/** The errors of Ajv for a part of a request. */
export const validationDetails = (part: string, errors: ErrorObject[] | null | undefined): ErrorDetail[] =>
  (errors ?? []).slice(0, MAX_DETAILS).map(({ instancePath, keyword, message, params }) => {
    const property = 'additionalProperty' in params ? ` (${locationOf('', [params.additionalProperty]).slice(1)})` : '';
    return {
      location: locationOf(part, instancePath.split('/').slice(1).map(unescapeStep)),
      code: keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
      message: `${message ?? 'is not valid'}${property}`,
    };
  });

/** RFC 6901, 4. */
const unescapeStep = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');

/**
 * A new instance for every schema, because two schemas may have the same $id. Without the meta-schema, which takes a
 * hundred times as long to compile as most schemas.
 */
const newCompiler = () =>
  withFormats(
    new Ajv2020({
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
    }),
  )
    .addKeyword('$anchor')
    .removeKeyword('const')
    .removeKeyword('enum')
    .removeKeyword('uniqueItems')
    .removeKeyword('multipleOf')
    .addVocabulary(vocabulary);
