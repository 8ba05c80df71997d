import '@hyperjump/json-schema/draft-04';
import '@hyperjump/json-schema/draft-06';
import '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/draft-2020-12';
import { getKeywordId } from '@hyperjump/json-schema/experimental';

export type Schema = Record<string, unknown>;

const NEWEST = 'https://json-schema.org/draft/2020-12/schema';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema';

/** By the name in `$schema`, the oldest first; their own end in #, which may be left out. */
export const DIALECTS = new Map([
  ...['04', '06', '07'].map(
    (draft) => [`http://json-schema.org/draft-${draft}/schema`, `draft ${Number(draft)}`] as const,
  ),
  [NEWEST, 'JSON Schema 2020-12'],
]);

const withoutEnd = ($schema: unknown) => String($schema).replace(/(?<=^http:.*)#$/, '');

export const isDialect = ($schema: unknown) => DIALECTS.has(withoutEnd($schema));

/** The newest one without `$schema`. */
export const dialectOf = ({ $schema }: Schema): string => (isDialect($schema) ? withoutEnd($schema) : NEWEST);

/** Before 2020-12, nothing beside a $ref counts; definitions beside it are still the targets of references. */
export const refStandsAlone = (dialect: string) => dialect !== NEWEST;

/** The keywords by what they hold, without those that lead a $ref elsewhere. */
const HELD = {
  SCHEMA: `additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems
    unevaluatedProperties`,
  SCHEMAS: 'allOf anyOf oneOf prefixItems',
  NAMED_SCHEMAS: '$defs definitions dependencies dependentSchemas patternProperties properties',
  VALUE: `$ref const dependentRequired enum exclusiveMaximum exclusiveMinimum format maxContains maxItems maxLength maxProperties
    maximum minContains minItems minLength minProperties minimum multipleOf pattern required type uniqueItems`,
  NOTE: `$comment $id $schema $vocabulary contentEncoding contentMediaType default deprecated description examples id
    readOnly title writeOnly`,
};
const KEYWORDS = new Map(
  Object.entries(HELD).flatMap(([held, names]) => names.split(/\s+/).map((name) => [name, held] as const)),
);

/** What generators and editors write beside the keywords, for people and other programs. */
const ANNOTATIONS = new Set(
  `comment defaultSnippets deprecationMessage enumDescriptions enumNames example externalDocs markdownDescription
    propertyOrder qt-uri-extensions qt-uri-protocols requiresRestart tsEnumNames tsType xml`.split(/\s+/),
);

/** A keyword of no dialect that says nothing about payloads: one of OpenAPI's extensions, of jsonschema2pojo, … */
const isAnnotation = (keyword: string) => ANNOTATIONS.has(keyword) || /^x-|^(existingJ|j)ava[A-Z]/.test(keyword);

/** Also of a newer draft, where an older one does not know it. */
export const isNote = (keyword: string) => KEYWORDS.get(keyword) === 'NOTE' || isAnnotation(keyword);

/** The keywords of each dialect, with the library's name for what they do there. 2020-12 has kept `definitions`. */
export const KEYWORDS_OF = new Map(
  [...DIALECTS.keys()].map((dialect) => {
    const ids = [...KEYWORDS.keys()].map((name) => {
      return [name, getKeywordId(name, name === 'definitions' ? DRAFT_7 : dialect)] as const;
    });
    return [dialect, new Map([['$schema', ''], ...ids.filter(([, id]) => id && !id.includes('/unknown#'))])] as const;
  }),
);

/** The dialects that have a keyword, the oldest first. */
export const dialectsWith = (keyword: string) =>
  [...DIALECTS.keys()].filter((dialect) => KEYWORDS_OF.get(dialect)?.has(keyword));

type Inner = { keyword: string; steps: string[]; schema: Schema };

/** The schemas directly inside a schema that is valid against the meta-schema, each with the steps to it. */
export function innerSchemas(schema: Schema): Inner[] {
  return Object.entries(schema).flatMap(([keyword, value]): Inner[] => {
    const held = KEYWORDS.get(keyword);
    // Before 2020-12, `items` may hold a list.
    if (held === 'SCHEMA' && !Array.isArray(value)) return [{ keyword, steps: [keyword], schema: value as Schema }];
    if (held === undefined || held === 'VALUE' || held === 'NOTE') return [];
    // The others in `dependencies` are lists of names.
    const inside = Object.entries(value as Record<string, Schema>).filter(([, inner]) => !Array.isArray(inner));
    return inside.map(([name, inner]) => ({ keyword, steps: [keyword, name], schema: inner }));
  });
}
